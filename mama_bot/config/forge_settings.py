"""The settings of a forge, and which one a repository is on: read from where it is cloned from."""

import ipaddress
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import SplitResult, urlsplit

from pydantic import Field

from mama_bot.config.document import KeyPath
from mama_bot.config.section import Number, Seconds, Section
from mama_bot.model.pull_requests import ForgeKind

_SHORT_SSH = re.compile(r"[^/:]+@([^/:]+):(?!//)(.+)")  # "git@example.org:team/app.git"
# No small letters: a token of GitHub would be the name of a variable too.
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_PROJECT = re.compile(r"[\w.-]+(?:/[\w.-]+)+")
# Where ssh is served on the port of https.
_SSH_HOSTS = {"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com"}


class ForgeSettings(Section):
    """`repositories.NAME.forge`: where pull requests of the repository are opened.

    `token` is the name of a variable in `secrets.env`. `kind`, `base_url` (of the API) and `project` ("team/app")
    follow from `source` where they are not said. `draft` opens pull requests as drafts.
    """

    token: str
    kind: ForgeKind | None = None
    base_url: str = ""
    project: str = ""
    draft: bool = False


class PullRequestSettings(Section):
    """`pull_requests`: how often those that conversations opened are looked at, and for how long."""

    poll_seconds: Seconds = 30
    watch_days: Annotated[Number, Field(gt=0)] = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgePlace:
    """Where the API of a forge is, and the project there."""

    kind: ForgeKind
    base_url: str
    project: str

    @property
    def host(self) -> str:
        """The name of the server, as people know it."""
        host = urlsplit(self.base_url).netloc
        return "github.com" if host == "api.github.com" else host


def forge_place(source: str, settings: ForgeSettings) -> ForgePlace | None:
    """Return where pull requests of a repository are opened; None where its settings do not tell."""
    host, path = _remote(source)
    kind = settings.kind or _guessed_kind(host)
    project = settings.project or path
    if kind is None or not _PROJECT.fullmatch(project):
        return None
    base_url = settings.base_url.rstrip("/") or (_api_of(kind, host) if host else "")
    return ForgePlace(kind=kind, base_url=base_url, project=project) if base_url else None


def problems_of_forge(source: str, settings: ForgeSettings, *, in_place: bool) -> Iterator[tuple[KeyPath, str]]:
    """Yield what is wrong about a forge, each with its key below `forge`."""
    if in_place:
        yield (), "a directory that is worked on in place is pushed by its owner. Remove this, or `mode: in_place`."
    if not _VARIABLE.fullmatch(settings.token):
        yield ("token",), "expected the name of a variable in secrets.env, such as APP_FORGE_TOKEN, and not the token."
    problem = _problem_of_url(settings.base_url) if settings.base_url else ""
    if problem:
        yield ("base_url",), problem
        return
    host, path = _remote(source)
    kind = settings.kind or _guessed_kind(host)
    if kind is None:
        yield ("kind",), f"it cannot be told from {source!r} whether this is github or gitlab. Write `kind: github`."
    elif not host and not settings.base_url:
        yield ("base_url",), "the source is no URL of a server. Say where the API is, such as https://api.github.com."
    project = settings.project or path
    parts = project.count("/") + 1
    if not _PROJECT.fullmatch(project) or (kind is ForgeKind.GITHUB and parts != 2):
        yield ("project",), f"{project!r} is no project. Write it as the forge does, such as `project: team/app`."


def _problem_of_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError:
        host, port_is_fine, parts = "", False, SplitResult("", "", "", "", "")
    if parts.scheme not in ("https", "http") or not host or not port_is_fine or parts.query or parts.fragment:
        return "expected the URL of the API, such as https://git.example.org/api/v3."
    if parts.username or parts.password:
        return "this URL holds a user or password. Leave it out: the token is in secrets.env."
    if parts.scheme == "http" and not _is_loopback(host):
        return "the token would travel in the clear. Write https://."
    return ""


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _remote(source: str) -> tuple[str, str]:
    """Return the server and the path of the project on it; "" for a path on this machine."""
    short = _SHORT_SSH.fullmatch(source)
    if short is not None:
        host, path = short.group(1), short.group(2)
    elif "://" in source and not source.startswith("file:"):
        try:
            parts = urlsplit(source)
            host, path = (parts.hostname or ""), parts.path
            if parts.port and parts.scheme in ("https", "http"):
                host = f"{host}:{parts.port}"
        except ValueError:
            return "", ""
    else:
        return "", ""
    return _SSH_HOSTS.get(host, host), path.strip("/").removesuffix(".git").strip("/")


def _guessed_kind(host: str) -> ForgeKind | None:
    """Return the forge that the name of a server names: github.com, gitlab.example.org."""
    labels = host.partition(":")[0].split(".")
    return next((kind for kind in ForgeKind if any(kind.value in label for label in labels)), None)


def _api_of(kind: ForgeKind, host: str) -> str:
    if kind is ForgeKind.GITLAB:
        return f"https://{host}/api/v4"
    return "https://api.github.com" if host == "github.com" else f"https://{host}/api/v3"
