# mama-bot in a container: `docker compose up --detach --build` (docs/deploy.md).
#
# The base is pinned by tag. To pin it to the byte as well, put its digest behind the tag: what
# `docker buildx imagetools inspect python:3.11-slim-bookworm` says, as python:3.11-slim-bookworm@sha256:...
ARG BASE=python:3.11-slim-bookworm

# What the service needs from the index, by exact version and hash; built anew only when that list changes.
FROM ${BASE} AS dependencies
COPY requirements/run.txt /build/run.txt
RUN python3 -m venv --without-pip /opt/mama-bot \
    && python3 -m pip --python /opt/mama-bot/bin/python3 install --no-cache-dir --disable-pip-version-check --require-hashes --only-binary :all: --requirement /build/run.txt

FROM dependencies AS package
WORKDIR /build/source
COPY pyproject.toml README.md config.yaml ./
COPY personas ./personas
COPY mama_bot ./mama_bot
RUN python3 -m pip --python /opt/mama-bot/bin/python3 install --no-cache-dir --disable-pip-version-check --no-deps --no-build-isolation --prefix /build/package .

# Setuptools was there for the package alone.
FROM dependencies AS without-build-tools
RUN python3 -m pip --python /opt/mama-bot/bin/python3 uninstall --yes setuptools

FROM ${BASE}
LABEL org.opencontainers.image.title="mama-bot" \
      org.opencontainers.image.description="A team of coding agents in chat, whose every reply is judged by code before it is posted."
# git: what agents work with. tini: it passes signals on, and reaps what agents leave behind when they are ended.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git tini \
    && rm -rf /var/lib/apt/lists/*
RUN groupadd --gid 10001 mama \
    && useradd --uid 10001 --gid mama --home-dir /data/home --no-create-home --shell /usr/sbin/nologin mama \
    && mkdir -p /config /data/home && touch /config/config.local.yaml \
    && chown -R mama:mama /data
COPY --from=without-build-tools /opt/mama-bot /opt/mama-bot
COPY --from=package /build/package /opt/mama-bot
COPY config.yaml /config/config.yaml
COPY personas /config/personas

# One heap for all threads of the service: each has its own else, and keeps what it once freed.
# The port stands here, so that EXPOSE, the health check and the service agree. The page listens on loopback, inside of
# the container: nobody reaches it from outside until MAMA_WEB__HOST is 0.0.0.0.
ENV PATH=/opt/mama-bot/bin:$PATH \
    HOME=/data/home \
    LANG=C.UTF-8 \
    MALLOC_ARENA_MAX=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    MAMA_CONFIG=/config/config.local.yaml \
    MAMA_DATA_DIRECTORY=/data \
    MAMA_LOG__FORMAT=json \
    MAMA_WEB__PORT=8642
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8642
STOPSIGNAL SIGTERM
# By http.client, which asks no proxy for its own machine.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python3", "-c", "import http.client, sys; page = http.client.HTTPConnection('127.0.0.1', 8642, timeout=4); page.request('GET', '/readyz'); sys.exit(page.getresponse().status != 200)"]
ENTRYPOINT ["tini", "--", "mama-bot"]
CMD ["run"]
