"""The doctor asks each forge with its token, and says what is missing."""

from pathlib import Path

import pytest

from mama_bot.app.configuration import Configuration, read_configuration
from mama_bot.commands.forge_checks import examined_forges
from tests.checkouts.making import make_source
from tests.end_to_end.team import write_configuration
from tests.platforms.forge_server import ForgeServer, GitHubServer, GitLabServer


def configured(tmp_path: Path, server: ForgeServer, kind: str, token: str) -> Configuration:
    source = tmp_path / "source"
    if not source.exists():
        make_source(tmp_path)
    place = {"kind": kind, "token": "APP_FORGE", "base_url": server.base_url, "project": "team/app"}
    file = write_configuration(tmp_path, repositories={"app": {"source": str(source), "forge": place}})
    return read_configuration(file, environment={"PATH": "/usr/bin:/bin", "APP_FORGE": token})


@pytest.mark.parametrize(("kind", "make"), [("github", GitHubServer), ("gitlab", GitLabServer)])
async def test_what_a_forge_says_of_its_token(tmp_path: Path, kind: str, make: type[ForgeServer]) -> None:
    async with make() as server:
        (fine,) = await examined_forges(configured(tmp_path, server, kind, server.token))
        assert (fine.ok, fine.outcome) == (True, "team/app answers mama-machine, who may push")
        server.may_push = False
        (reading,) = await examined_forges(configured(tmp_path, server, kind, server.token))
        assert not reading.ok
        assert "who may not push there" in reading.outcome
        (wrong,) = await examined_forges(configured(tmp_path, server, kind, "not-this-token"))
        assert not wrong.ok
        assert "does not accept the token in APP_FORGE" in wrong.outcome
        assert "not-this-token" not in wrong.outcome
        (none,) = await examined_forges(configured(tmp_path, server, kind, ""))
        assert "put one into secrets.env as APP_FORGE" in none.outcome
        assert [asked.method for asked in server.asked if asked.method != "GET"] == []
    (gone,) = await examined_forges(configured(tmp_path, server, kind, server.token))
    assert "does not answer" in gone.outcome


async def test_without_a_forge_nothing_is_asked(tmp_path: Path) -> None:
    file = write_configuration(tmp_path, repositories={"app": {"source": str(make_source(tmp_path))}})
    assert await examined_forges(read_configuration(file, environment={})) == []
