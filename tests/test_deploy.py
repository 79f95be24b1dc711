"""The container's files: what they copy is there, what they set are settings, and nothing runs as root or unbounded."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

import kubernetes_validate
import pytest
import yaml
from pydantic import BaseModel, ConfigDict, Field

from mama_bot.commands.setup.new_files import DEFAULTS, SHIPPED
from mama_bot.config import ServiceRole, load_settings, read_secrets
from mama_bot.errors import ConfigurationError

ROOT = Path(__file__).parent.parent
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
LONGEST_CLOSING_SECONDS = 30  # agents, gateways and database after the draining


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class EnvironmentFile(Strict):
    path: str
    required: bool


class Logging(Strict):
    driver: Literal["json-file"]
    options: Mapping[Literal["max-size", "max-file"], str]


class Bind(Strict):
    create_host_path: Literal[False]


class Mount(Strict):
    """A file of the host, which Docker makes no folder of where it is missing."""

    type: Literal["bind"]
    source: str
    target: str
    read_only: Literal[True]
    bind: Bind


class ComposeService(Strict):
    """The keys of the Compose Specification that our file uses, with their types there."""

    build: str
    image: str
    restart: Literal["unless-stopped"]
    stop_grace_period: Annotated[str, Field(pattern=r"^[0-9]+s$")]
    env_file: list[EnvironmentFile]
    environment: Mapping[str, str]
    volumes: list[Annotated[str, Field(pattern=r"^(?:data|\./[\w./]+):/[\w./]+(?::ro)?$")] | Mount]
    read_only: Literal[True]
    tmpfs: list[str]
    security_opt: list[str]
    cap_drop: list[str]
    mem_limit: Annotated[str, Field(pattern=r"^[0-9]+[gm]$")]
    pids_limit: int
    logging: Logging


class Condition(Strict):
    condition: Literal["service_healthy"]


class Deploy(Strict):
    replicas: int


class HealthCheck(Strict):
    test: list[str]
    interval: Annotated[str, Field(pattern=r"^[0-9]+s$")]
    timeout: Annotated[str, Field(pattern=r"^[0-9]+s$")]
    retries: int
    start_period: Annotated[str, Field(pattern=r"^[0-9]+s$")] = "0s"


class ComposeNode(ComposeService):
    """A service of the profile `scaled`: one role."""

    build: Literal[""] = ""
    command: tuple[Literal["run"], Literal["--role"], str]
    profiles: tuple[Literal["scaled"]]
    depends_on: Mapping[Literal["postgres"], Condition]
    secrets: list[str]
    deploy: Deploy
    healthcheck: HealthCheck
    ports: list[Annotated[str, Field(pattern=r"^127\.0\.0\.1:[0-9]+:[0-9]+$")]] = Field(default_factory=list)


class ComposeDatabase(Strict):
    image: Annotated[str, Field(pattern=r"^postgres:[0-9]+")]
    profiles: tuple[Literal["scaled"]]
    restart: Literal["unless-stopped"]
    stop_grace_period: Annotated[str, Field(pattern=r"^[0-9]+s$")]
    environment: Mapping[str, str]
    secrets: list[str]
    volumes: tuple[Literal["database:/var/lib/postgresql/data"]]
    healthcheck: HealthCheck


class SecretFile(Strict):
    file: Annotated[str, Field(pattern=r"^\./secrets/")]


class ComposeServices(Strict):
    alone: ComposeService = Field(alias="mama-bot")
    postgres: ComposeDatabase
    gateway: ComposeNode
    worker: ComposeNode
    page: ComposeNode


class ComposeFile(Strict):
    name: str
    services: ComposeServices
    volumes: Mapping[str, None]
    secrets: Mapping[str, SecretFile]


def compose_file() -> ComposeFile:
    content = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    return ComposeFile.model_validate(content)


def compose() -> ComposeService:
    return compose_file().services.alone


def instructions() -> Iterator[tuple[str, str]]:
    """The instructions of the Dockerfile with their continued lines joined."""
    lines = [line for line in DOCKERFILE.splitlines() if not line.lstrip().startswith("#")]
    for line in re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines():
        if line.strip():
            name, _, rest = line.partition(" ")
            yield name, rest.strip()


def environment_of_the_image() -> dict[str, str]:
    words = [word for name, rest in instructions() if name == "ENV" for word in shlex.split(rest)]
    return dict(word.split("=", 1) for word in words)


def ours(variables: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in variables.items() if name.startswith("MAMA_")}


def test_everything_that_the_image_copies_is_there_and_not_ignored() -> None:
    copied = [shlex.split(rest) for name, rest in instructions() if name == "COPY"]
    sources = [source for words in copied if not words[0].startswith("--from") for source in words[:-1]]
    assert sources
    allowed = [
        line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] == "!"
    ]
    for source in sources:
        assert (ROOT / source).exists(), source
        assert source in allowed
    assert sorted(set(sources)) == sorted(allowed)


def test_no_secret_and_no_data_gets_into_the_image_or_the_repository() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert "*" in ignored
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {"secrets.env", "/config.local.yaml", "/data/"} <= {*ignored}


def test_the_image_runs_as_nobody_in_particular_and_reaps_what_agents_leave() -> None:
    found = {name: rest for name, rest in instructions() if name in ("USER", "ENTRYPOINT", "CMD", "VOLUME", "EXPOSE")}
    assert found["USER"] == "10001:10001"
    assert json.loads(found["ENTRYPOINT"]) == ["tini", "--", "mama-bot"]
    assert json.loads(found["CMD"]) == ["run"]
    assert (found["VOLUME"], found["EXPOSE"]) == ("/data", "8642")


def test_the_last_stage_installs_nothing_that_builds() -> None:
    last = DOCKERFILE.rpartition("\nFROM ")[2]
    assert "pip" not in last
    assert not re.search(r"\b(gcc|build-essential|make|curl)\b", last)


def test_what_the_image_sets_are_settings_and_keep_the_page_to_itself() -> None:
    variables = ours(environment_of_the_image())
    settings = load_settings(
        None, environment={name: value for name, value in variables.items() if name != "MAMA_CONFIG"}
    )
    assert str(settings.data_directory) == "/data"
    assert settings.web.host == "127.0.0.1"
    assert settings.web.port == 8642
    assert settings.web.enabled


def test_the_compose_file_is_of_the_form_of_its_specification_and_closed() -> None:
    service = compose()
    assert service.cap_drop == ["ALL"]
    assert "no-new-privileges:true" in service.security_opt
    assert service.logging.options.keys() == {"max-size", "max-file"}
    for name in ours(service.environment):
        load_settings(None, environment={name: service.environment[name]})


def test_each_role_is_a_service_of_the_profile_for_several_nodes(tmp_path: Path) -> None:
    file = compose_file()
    secret = tmp_path / "secret"
    secret.write_text("postgresql://mama:a-long-secret@postgres/mama")
    for name in ("gateway", "worker", "page"):
        node: ComposeNode = getattr(file.services, name)
        assert (node.command[2], ServiceRole(name).value) == (name, name)
        assert node.cap_drop == ["ALL"]
        assert {*node.secrets} <= {*file.secrets}
        for variable, value in ours(node.environment).items():
            read_from = str(secret) if variable.endswith("_FILE") else value
            load_settings(None, environment={variable: read_from})
    assert file.services.gateway.deploy.replicas == 2
    assert file.services.page.healthcheck.test == file.services.gateway.healthcheck.test


def test_the_manifests_for_a_cluster_are_of_the_forms_of_kubernetes_and_their_variables_are_settings(
    tmp_path: Path,
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0")
    text = (ROOT / "deploy" / "kubernetes" / "mama-bot.yaml").read_text(encoding="utf-8")
    documents = list(yaml.safe_load_all(text))
    for document in documents:
        kubernetes_validate.validate(document, "1.37", strict=True)
    pods = [document["spec"]["template"]["spec"] for document in documents if "template" in document["spec"]]
    containers = [container for pod in pods for container in pod["containers"]]
    assert sorted(container["args"][2] for container in containers) == ["gateway", "page", "worker"]
    for pod, container in zip(pods, containers, strict=True):
        assert pod["securityContext"]["runAsNonRoot"]
        assert container["securityContext"]["readOnlyRootFilesystem"]
        for variable in container["env"]:
            named = variable["name"].endswith("_FILE")
            load_settings(None, environment={variable["name"]: str(secret) if named else variable["value"]})


def test_the_unit_of_a_node_waits_for_the_database_and_is_given_time_to_drain() -> None:
    unit = (ROOT / "deploy" / "systemd" / "mama-bot@.service").read_text(encoding="utf-8")
    settings = dict(line.split("=", 1) for line in unit.splitlines() if "=" in line and not line.startswith("#"))
    assert settings["TimeoutStartSec"] == "infinity"
    assert int(settings["TimeoutStopSec"]) >= load_settings(None, environment={}).turns.drain_seconds
    assert "LoadCredential=store_url:/etc/mama-bot/store_url" in unit
    assert "MAMA_STORE__URL_FILE=%d/store_url" in unit


def test_running_turns_may_finish_before_the_container_is_killed() -> None:
    shipped = load_settings(None, environment={})
    grace = int(compose().stop_grace_period.removesuffix("s"))
    assert grace >= shipped.turns.drain_seconds + LONGEST_CLOSING_SECONDS


def test_the_container_has_room_for_its_agents() -> None:
    shipped = load_settings(None, environment={})
    service = compose()
    amount, unit = int(service.mem_limit[:-1]), service.mem_limit[-1]
    assert amount * {"g": 1024, "m": 1}[unit] > shipped.pool.size * shipped.pool.max_memory_megabytes + 1024
    assert service.pids_limit >= 512


def test_every_host_path_that_is_mounted_is_in_the_repository_or_said_to_be_made_first() -> None:
    for volume in compose().volumes:
        if isinstance(volume, Mount):
            made = f"touch {volume.source.removeprefix('./')}\n"
            assert made in (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
            continue
        source = volume.split(":")[0]
        if source.startswith("./"):
            assert (ROOT / source).exists()


def test_every_variable_that_a_page_names_is_a_setting() -> None:
    values = {"MAMA_WEB__KEY": "a-long-random-text", "MAMA_REPOSITORIES__APP__SOURCE": "/repositories/app"}
    pages = [f"docs/{name}.md" for name in ("deploy", "discord", "slack", "telegram")]
    for name in ("docker-compose.yml", "secrets.env.example", "README.md", *pages):
        text = (ROOT / name).read_text(encoding="utf-8")
        for variable in set(re.findall(r"\bMAMA_[A-Z][A-Z0-9_]*[A-Z0-9]\b", text)) - {"MAMA_CONFIG"}:
            one = {variable: values.get(variable, "1" if "PORT" in variable else "0.0.0.0")}
            said = ""
            try:
                load_settings(None, environment=one)
            except ConfigurationError as error:  # the value is made up; the name is not
                said = str(error)
            assert "names no setting" not in said, name


def test_the_example_of_the_secrets_file_can_be_used_as_it_is(tmp_path: Path) -> None:
    example = (ROOT / "secrets.env.example").read_text(encoding="utf-8")
    file = tmp_path / "secrets.env"
    file.write_text(example, encoding="utf-8")
    assert load_settings(None, environment={}, secrets_file=file).slack.bot_token is None
    file.write_text(re.sub(r"^# (MAMA_\w+=)", r"\1", example, flags=re.MULTILINE), encoding="utf-8")
    assert "MAMA_SLACK__APP_TOKEN" in read_secrets(file)


def test_there_is_one_copy_of_what_is_shipped() -> None:
    assert (SHIPPED / "config.yaml").resolve() == ROOT / "config.yaml"
    assert (SHIPPED / "personas").resolve() == ROOT / "personas"


def test_an_installed_package_brings_a_configuration_and_a_team(tmp_path: Path) -> None:
    source, installed = tmp_path / "source", tmp_path / "installed"
    shutil.copytree(ROOT / "mama_bot", source / "mama_bot", symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "personas", source / "personas")
    for name in ("pyproject.toml", "README.md", "config.yaml"):
        shutil.copy(ROOT / name, source)
    install = (
        sys.executable,
        "-m",
        "uv",
        "pip",
        "install",
        "--quiet",
        "--offline",
        "--no-deps",
        "--no-build-isolation",
    )
    done = subprocess.run(
        [*install, "--python", sys.executable, "--target", str(installed), str(source)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    shipped = installed / "mama_bot" / "shipped"
    assert (shipped / "config.yaml").read_bytes() == DEFAULTS.read_bytes()
    assert not (shipped / "config.yaml").is_symlink()
    assert {file.name for file in (shipped / "personas").iterdir()} == {"lead.md", "developer.md", "reviewer.md"}


@pytest.mark.parametrize("status", [200, 503])
def test_the_health_check_fails_when_the_page_does(status: int, unused_tcp_port: int) -> None:
    server = (
        "import http.server, sys\n"
        "class Page(http.server.BaseHTTPRequestHandler):\n"
        "    def do_GET(self):\n"
        f"        self.send_response({status} if self.path == '/readyz' else 404); self.end_headers()\n"
        f"page = http.server.HTTPServer(('127.0.0.1', {unused_tcp_port}), Page)\n"
        "sys.stdout.write('ready\\n'); sys.stdout.flush(); page.serve_forever()\n"
    )
    (check,) = [json.loads(rest.partition("CMD ")[2]) for name, rest in instructions() if name == "HEALTHCHECK"]
    check = [sys.executable, *check[1:-1], check[-1].replace("8642", str(unused_tcp_port))]
    proxies = {"http_proxy": "http://127.0.0.1:1", "HTTP_PROXY": "http://127.0.0.1:1", **os.environ}
    assert subprocess.run(check, env=proxies, capture_output=True, timeout=30).returncode != 0
    with subprocess.Popen([sys.executable, "-c", server], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as page:
        try:
            assert page.stdout is not None
            page.stdout.readline()
            ended = subprocess.run(check, env=proxies, capture_output=True, timeout=30).returncode
        finally:
            page.kill()
    assert (ended == 0) is (status == 200)
