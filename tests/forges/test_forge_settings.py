"""Which forge a repository is on, read from where it is cloned from, and what is told of a mistake."""

from pathlib import Path

import pytest

from mama_bot.config import ForgePlace, ForgeSettings, forge_place
from mama_bot.model import ForgeKind
from tests.test_config import load, refusal

GITHUB, GITLAB = ForgeKind.GITHUB, ForgeKind.GITLAB


@pytest.mark.parametrize(
    ("source", "kind", "base_url", "project"),
    [
        ("https://github.com/team/app.git", GITHUB, "https://api.github.com", "team/app"),
        ("git@github.com:team/app.git", GITHUB, "https://api.github.com", "team/app"),
        ("ssh://git@ssh.github.com:443/team/app.git", GITHUB, "https://api.github.com", "team/app"),
        ("https://github.example.org/team/app", GITHUB, "https://github.example.org/api/v3", "team/app"),
        ("git@gitlab.com:group/part/app.git", GITLAB, "https://gitlab.com/api/v4", "group/part/app"),
        ("https://gitlab.example.org:8443/g/app/", GITLAB, "https://gitlab.example.org:8443/api/v4", "g/app"),
        ("ssh://git@gitlab.example.org:2222/g/app.git", GITLAB, "https://gitlab.example.org/api/v4", "g/app"),
    ],
)
def test_the_forge_follows_from_the_source(source: str, kind: ForgeKind, base_url: str, project: str) -> None:
    expected = ForgePlace(kind=kind, base_url=base_url, project=project)
    assert forge_place(source, ForgeSettings(token="T")) == expected


def test_what_is_said_stands_above_what_follows() -> None:
    settings = ForgeSettings(token="T", kind=GITLAB, base_url="https://git.example.org/api/v4/", project="a/b")
    assert forge_place("/srv/app", settings) == ForgePlace(
        kind=GITLAB, base_url="https://git.example.org/api/v4", project="a/b"
    )
    assert forge_place("https://git.example.org/a/b", ForgeSettings(token="T", kind=GITHUB)) == ForgePlace(
        kind=GITHUB, base_url="https://git.example.org/api/v3", project="a/b"
    )


@pytest.mark.parametrize(
    ("source", "forge", "key", "words"),
    [
        ("https://git.example.org/a/b", "token: T", "kind", "it cannot be told from 'https://git.example.org/a/b'"),
        ("https://github.com/a/b", "token: ghp_abc1", "token", "expected the name of a variable in secrets.env"),
        ("https://github.com/a/b/c", "token: T", "project", "'a/b/c' is no project"),
        ("https://github.com/a", "token: T", "project", "'a' is no project"),
        ("file:///srv/app", "{token: T, kind: github}", "base_url", "the source is no URL of a server"),
        ("https://github.com/a/b", "{token: T, base_url: 'http://git.example.org/api'}", "base_url", "in the clear"),
        ("https://github.com/a/b", "{token: T, base_url: 'https://me:x@host/'}", "base_url", "holds a user or pass"),
        (
            "https://github.com/a/b",
            "{token: T, base_url: 'git.example.org'}",
            "base_url",
            "expected the URL of the API",
        ),
        ("https://github.com/a/b", "{token: T, base_url: 'https://[x/'}", "base_url", "expected the URL of the API"),
        ("https://github.com/a/b", "{token: T, kind: gitea}", "kind", "expected 'github' or 'gitlab'"),
        ("https://github.com/a/b", "{kind: github}", "token", "expected a value, there is none"),
    ],
)
def test_a_mistake_is_a_sentence_with_its_key(tmp_path: Path, source: str, forge: str, key: str, words: str) -> None:
    value = forge if forge.startswith("{") else f"{{{forge}}}"
    error = refusal(tmp_path, f"repositories:\n  app:\n    source: {source}\n    forge: {value}\n")
    assert f"repositories.app.forge.{key}" in str(error)
    assert words in str(error)


def test_a_directory_that_is_worked_in_as_it_is_has_no_forge(tmp_path: Path) -> None:
    forge = "{token: T, kind: github, base_url: 'https://api.github.com', project: a/b}"
    text = f"repositories:\n  app:\n    source: /srv\n    mode: in_place\n    forge: {forge}\n"
    assert "pushed by its owner" in str(refusal(tmp_path, text))


def test_a_server_on_this_machine_may_speak_http(tmp_path: Path) -> None:
    forge = "{token: T, kind: github, base_url: 'http://127.0.0.1:9/api/v3'}"
    settings = load(tmp_path, f"repositories:\n  app:\n    source: https://git.example.org/a/b\n    forge: {forge}\n")
    assert settings.repositories["app"].forge is not None
