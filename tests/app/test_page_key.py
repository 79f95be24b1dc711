"""The key of the page: made once, kept for the service's user alone, hidden from agents, shown nowhere."""

import re
import stat
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from mama_bot.app.configuration import Configuration, read_configuration
from mama_bot.app.containment import sandbox_of
from mama_bot.app.page_key import KEY_NAME, new_link, with_page_key
from mama_bot.errors import ConfigurationError
from mama_bot.testing.scripted_agent import ScriptedAgentBackend
from tests.end_to_end.team import running_team, write_configuration


def configured(directory: Path, *, page: bool = True) -> Configuration:
    return read_configuration(
        write_configuration(directory, web={"enabled": page}), environment={"PATH": "/usr/bin:/bin"}
    )


def key_of(configuration: Configuration) -> str:
    key = with_page_key(configuration).settings.web.key
    assert key is not None
    return key.get_secret_value()


def test_the_first_start_makes_a_key_that_later_ones_keep(tmp_path: Path) -> None:
    configuration = configured(tmp_path / "one")
    made = key_of(configuration)
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", made)
    assert key_of(configuration) == made
    assert key_of(configured(tmp_path / "two")) != made


def test_the_file_of_the_key_is_its_user_s_alone_even_where_it_was_open(tmp_path: Path) -> None:
    configuration = configured(tmp_path)
    file = configuration.settings.data_directory / KEY_NAME
    for _ in range(2):
        key_of(configuration)
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert [path.name for path in file.parent.iterdir()] == [KEY_NAME]
        file.chmod(0o644)


def test_agents_are_shown_neither_the_file_nor_the_secrets(tmp_path: Path) -> None:
    configuration = configured(tmp_path)
    key_of(configuration)
    sandbox = sandbox_of(configuration)
    if sandbox is None:
        pytest.skip("this kernel confines nothing")
    assert (configuration.settings.data_directory / KEY_NAME).is_relative_to(sandbox.hidden[0])


def test_a_configured_key_comes_first_and_nothing_is_kept(tmp_path: Path) -> None:
    file = write_configuration(tmp_path)
    configuration = read_configuration(file, environment={"MAMA_WEB__KEY": " a key of our own "})
    assert key_of(configuration) == "a key of our own"
    assert not configuration.settings.data_directory.exists()


def test_without_a_page_there_is_no_key(tmp_path: Path) -> None:
    configuration = configured(tmp_path, page=False)
    assert with_page_key(configuration).settings.web.key is None
    assert not configuration.settings.data_directory.exists()


@pytest.mark.parametrize("content", [b"", b"short\n", b"\xff\xfe\x00"])
def test_a_file_that_holds_no_key_is_said_with_its_name(tmp_path: Path, content: bytes) -> None:
    configuration = configured(tmp_path)
    configuration.settings.data_directory.mkdir()
    (configuration.settings.data_directory / KEY_NAME).write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"page\.key"):
        with_page_key(configuration)


def test_no_link_is_made_where_no_service_runs(tmp_path: Path) -> None:
    configuration = configured(tmp_path)
    with pytest.raises(ConfigurationError, match="mama-bot run"):
        new_link(configuration)
    assert not configuration.settings.data_directory.exists()


async def test_a_running_service_asks_for_its_key_and_shows_it_to_nobody(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async with running_team(tmp_path, backends={"claude": ScriptedAgentBackend()}) as team:
        key, link = team.running.page_key, team.running.link
        async with team.stranger() as stranger:
            assert (await stranger.get("/healthz")).status_code == 200
            command = {"name": "approve", "argument": "review-1"}
            assert (await stranger.post("/api/conversations/c1/commands", json=command)).status_code == 401
            assert (await stranger.post("/api/access", json={"code": "x", "approve": True})).status_code == 401
            assert (await stranger.get(link)).status_code == 200
            assert (await stranger.get("/api/state")).status_code == 200
        shown = repr(team.running) + "".join(capfd.readouterr())
        configuration = read_configuration(tmp_path / "config.yaml", environment={})
        redacted = with_page_key(configuration).redactor()(f"it is {key}.")
        assert urlsplit(new_link(configuration)).netloc == urlsplit(link).netloc  # though `web.port` is 0 there
    assert key == (tmp_path / "data" / KEY_NAME).read_text(encoding="utf-8").strip()
    assert (key in shown, "with=" in shown) == (False, False)
    assert redacted == "it is [redacted]."
