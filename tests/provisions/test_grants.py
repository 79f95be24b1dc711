"""What is granted to whom, what of it is told of, and how it is laid out."""

import shlex
import stat
import subprocess
from pathlib import Path

import pytest

from mama_bot.config import GitAccess, ProvisionSettings, RepositorySettings
from mama_bot.provisions import Grant, GrantMissing, grant_of, own_way, write_grant
from mama_bot.provisions.grants import secret_values
from mama_bot.redaction import redactor

SECRETS = {"NPM": "npm-value", "DEPLOY": "deploy-value", "TOKEN": "token-value", "OTHER": "other-value"}
SOURCE = "https://git.example.org/team/app.git"


def settings(**given: object) -> RepositorySettings:
    return RepositorySettings.model_validate({"source": SOURCE, **given})


def granted(repository: RepositorySettings, persona: str = "dev", *, only_looks: bool = False) -> Grant:
    return grant_of("app", repository, persona=persona, secrets=SECRETS, home=Path("/nobody"), only_looks=only_looks)


def test_a_persona_is_given_what_its_repository_gives_to_all_and_to_it() -> None:
    repository = settings(
        environment={"CI": "1"}, secrets=["NPM"], personas={"dev": {"secrets": ["DEPLOY"], "environment": {"CI": "2"}}}
    )
    assert granted(repository).variables == {"CI": "2", "NPM": "npm-value", "DEPLOY": "deploy-value"}
    assert granted(repository, "other").variables == {"CI": "1", "NPM": "npm-value"}


def test_who_only_looks_is_given_nothing_secret(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("content")
    repository = settings(
        environment={"CI": "1", "DB_PASSWORD": "postgres"},
        secrets=["NPM"],
        secret_files={"FILE": tmp_path / "file"},
        git={"password": "TOKEN"},
    )
    assert granted(repository, only_looks=True) == Grant(source=SOURCE, variables={"CI": "1"})
    assert granted(repository).vault == "app"


def test_of_git_the_persona_has_its_own_way_and_none_where_the_service_alone_fetches() -> None:
    repository = settings(git={"password": "TOKEN"}, personas={"dev": {"git": {"user": "dev", "password": "OTHER"}}})
    assert (granted(repository).user, granted(repository).password) == ("dev", "other-value")
    assert granted(repository, "lead").password == "token-value"
    alone = settings(git={"password": "TOKEN", "service_only": True})
    assert granted(alone) == Grant(source=SOURCE, user="git")
    assert own_way(alone.git, SOURCE, SECRETS).variables == {"MAMA_BOT_GIT_PASSWORD": "token-value"}


def test_what_is_missing_is_named_without_its_value(tmp_path: Path) -> None:
    with pytest.raises(GrantMissing, match=r"^ABSENT is neither in secrets\.env nor in the environment$"):
        granted(settings(secrets=["ABSENT"]))
    with pytest.raises(GrantMissing, match="gone cannot be read"):
        granted(settings(git={"ssh_key": tmp_path / "gone"}))


def test_what_is_laid_out_is_private_and_what_was_there_before_is_gone(tmp_path: Path) -> None:
    place = tmp_path / "granted"
    grant = Grant(vault="app", source=SOURCE, files={"FILE": b"content"}, user="robot", password="token-value")
    written = write_grant(grant, place)
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in place.iterdir()} == {0o400}
    assert Path(written.variables["FILE"]).read_text() == "content"
    assert "token-value" not in repr(written.variables)
    assert (place / "password").read_text() == "username=robot\npassword=token-value\n"
    assert written.variables["GIT_CONFIG_KEY_1"] == "credential.https://git.example.org.helper"
    assert write_grant(Grant(variables={"CI": "1"}), place).variables == {"CI": "1"}
    assert not place.exists()


def test_every_secret_of_the_settings_is_taken_out_of_texts(tmp_path: Path) -> None:
    body = "c3Vycm91bmRlZCBieSA0MCBkYXlz" * 2
    (tmp_path / "key").write_text(f"-----BEGIN OPENSSH PRIVATE KEY-----\n{body}\n-----END OPENSSH PRIVATE KEY-----\n")
    given = ProvisionSettings(
        secrets=("NPM",),
        environment={"CI": "yes-always", "A_TOKEN": "word-of-it"},
        git=GitAccess(password="TOKEN", ssh_key=tmp_path / "key"),
    )
    redact = redactor([*secret_values(given, SECRETS)])
    assert redact(f"npm-value token-value word-of-it {body} yes-always other-value") == (
        "[redacted] [redacted] [redacted] [redacted] yes-always other-value"
    )


def test_ssh_reads_the_options_as_they_are_meant(tmp_path: Path) -> None:
    place = tmp_path / "a place of 100%"
    grant = Grant(vault="app", source="git@host:app.git", key=b"key", known_hosts=b"hosts")
    command = write_grant(grant, place).variables["GIT_SSH_COMMAND"]
    parsed = subprocess.run([*shlex.split(command), "-G", "host"], capture_output=True, text=True, check=True).stdout
    options = dict(line.split(" ", 1) for line in parsed.splitlines() if " " in line)
    assert options["identityfile"].replace("%%", "%") == str(place / "key")
    assert options["userknownhostsfile"].replace("%%", "%") == str(place / "known_hosts")
    assert (options["identitiesonly"], options["batchmode"], options["stricthostkeychecking"]) == ("yes", "yes", "true")
    assert options["identityagent"] == "none"
