"""The settings of repositories, and what is told of a mistake in them."""

from pathlib import Path

import pytest

from mama_bot.config import is_url
from tests.test_config import load, refusal

HEAD = "repositories:\n  app:\n    "


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (f"{HEAD}source: ''", 3, "repositories.app.source: expected"),
        (f"{HEAD}source: svn://host/x", 3, "'svn' is no transport of git. Known: https, http, ssh, git, file."),
        (
            f"{HEAD}source: https://me:word@host/x",
            3,
            "this URL holds a user or password, and every agent could read it",
        ),
        (f"{HEAD}source: https://token@host/x", 3, "this URL holds a user or password"),
        (f"{HEAD}source: https://host/x\n    mode: in_place", 3, "`mode: in_place` needs a directory on this machine"),
        (f"{HEAD}source: /srv\n    mode: in_place\n    branch: x", 5, "this is for work trees"),
        (f"{HEAD}source: /srv\n    branch: '--upload-pack=x'", 4, "is no name of a branch."),
        (f"{HEAD}source: /srv\n    mode: elsewhere", 4, "repositories.app.mode: expected 'work_tree' or 'in_place'"),
        (f"{HEAD}source: /srv\n    channels: [C1]", 4, "'C1' names no place. Write platform/id"),
        (
            f"{HEAD}source: /srv\n    people: [slack/U1, slack/U1]",
            4,
            "slack/U1 belongs to 'app' already. Name it once.",
        ),
        (f"{HEAD}source: /srv\n    environment: {{a-b: c}}", 4, "'a-b' is no name of a variable."),
        (f"{HEAD}source: /srv\n    secrets: ['a b']", 4, "'a b' is no name of a variable in secrets.env."),
        (f"{HEAD}source: /srv\n    secrets: [MAMA_WEB__KEY]", 4, "MAMA_WEB__KEY is the service's own, and agents are"),
        (f"{HEAD}source: /srv\n    environment: {{HOME: /x}}", 4, "HOME is the service's own"),
        (
            f"{HEAD}source: /srv\n    git: {{password: 'a b'}}",
            4,
            "git.password: expected the name of a variable in secrets.env",
        ),
        (f"{HEAD}source: /srv\n    git: {{password: ghp_abc1}}", 4, "expected the name of a variable in secrets.env"),
        (f"{HEAD}source: /srv\n    git: {{password: MAMA_X}}", 4, "MAMA_X is the service's own. Give this one a name"),
        (f"{HEAD}source: /srv\n    git: {{ssh_kye: x}}", 4, "Did you mean 'ssh_key'?"),
        (f"{HEAD}source: /srv\n    personas: {{dev: {{secrets: ['']}}}}", 4, "repositories.app.personas.dev.secrets.0"),
        (f"{HEAD}source: /srv\n    set_up: [' ']", 4, "repositories.app.set_up.0: expected a command line."),
        ("repositories:\n  team: {source: /srv}", 2, "this is no name for a repository."),
        ("repositories:\n  ../x: {source: /srv}", 2, "this is no name for a repository."),
        (f"default_repository: ap\n{HEAD}source: /srv", 1, "default_repository: 'ap' is no repository. Did you mean"),
    ],
)
def test_a_mistake_is_a_sentence_with_key_and_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    error = refusal(tmp_path, text)
    assert error.line == line
    assert words in str(error)
    assert "word@" not in str(error)
    assert "token@" not in str(error)


def test_files_are_named_from_where_the_settings_are(tmp_path: Path) -> None:
    given = "secret_files: {A: a}, git: {ssh_key: b, known_hosts: /c}"
    text = f"repositories:\n  app: {{source: /srv, {given}, personas: {{dev: {{{given}}}}}}}"
    repository = load(tmp_path, text).repositories["app"]
    for settings in (repository, repository.personas["dev"]):
        assert [path for _, path in settings.named_files] == [tmp_path / "a", tmp_path / "b", Path("/c")]


@pytest.mark.parametrize(
    "source", ["https://host/x.git", "git@host:team/x.git", "ssh://git@host:22/x", "file:///srv/x"]
)
def test_a_url_is_taken_as_it_is_and_a_path_from_where_the_file_is(tmp_path: Path, source: str) -> None:
    settings = load(tmp_path, f"repositories:\n  app: {{source: '{source}'}}")
    assert settings.repositories["app"].source == source
    assert is_url(source)
    assert load(tmp_path, "repositories:\n  app: {source: ../x@y}").repositories["app"].source == str(
        tmp_path.parent / "x@y"
    )
