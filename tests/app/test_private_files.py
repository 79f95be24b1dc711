"""What the service keeps is open to its user alone: from the first start on, and mended where it was open."""

import stat
from pathlib import Path
from urllib.parse import unquote

from mama_bot.app.configuration import Configuration, read_configuration
from mama_bot.app.private_files import keep_private, open_to_others
from mama_bot.commands.doctor import examine_all
from mama_bot.testing.scripted_agent import ScriptedAgentBackend
from tests.end_to_end.service_process import service_process
from tests.end_to_end.team import running_team, write_configuration


def configured(directory: Path) -> Configuration:
    return read_configuration(write_configuration(directory), environment={"PATH": "/usr/bin:/bin"})


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def examined(configuration: Configuration) -> str:
    """What the doctor says of the files."""
    examinations = examine_all(configuration, examiners={})
    return next(row.outcome for row in examinations if row.subject == "files of the service")


async def test_a_service_that_runs_keeps_nothing_open(tmp_path: Path) -> None:
    file = write_configuration(tmp_path)
    async with service_process(file, {}) as service:
        await service.say("Hello")
        data = tmp_path / "data"
        kept = [path for path in (data, *data.rglob("*")) if not path.is_symlink()]
        names = {path.name for path in kept}
        assert {"page.key", "mama-bot.sqlite", "mama-bot.lock", "agents", "scripted"} <= names
        assert [str(path) for path in kept if mode(path) & 0o077] == []


async def test_what_an_earlier_start_left_open_is_mended_and_where_agents_work_is_not_touched(tmp_path: Path) -> None:
    configuration = configured(tmp_path)
    uploads, work = configuration.directory / "uploads/web", configuration.directory / "workspaces/team"
    for directory in (uploads, work):
        directory.mkdir(parents=True)
        (directory / "file").write_text("x", encoding="utf-8")
        (directory / "file").chmod(0o664)
    configuration.secrets_file.write_text("TOKEN=x\n", encoding="utf-8")
    configuration.secrets_file.chmod(0o644)
    backends = {"claude": ScriptedAgentBackend()}
    async with running_team(tmp_path, backends=backends):
        assert mode(configuration.settings.data_directory) == mode(configuration.directory) == 0o700
        assert mode(uploads / "file") == mode(configuration.secrets_file) == 0o600
        assert mode(work.parent) == 0o700
        assert (mode(work), mode(work / "file")) == (0o755, 0o664)


def test_what_is_open_is_named_until_it_is_mended(tmp_path: Path) -> None:
    configuration = configured(tmp_path)
    assert open_to_others(configuration) == ()
    configuration.directory.mkdir(parents=True, mode=0o755)
    (configuration.directory / "mama-bot.sqlite").touch(mode=0o640)
    assert configuration.directory / "mama-bot.sqlite" in open_to_others(configuration)
    assert "mama-bot.sqlite" in examined(configuration)
    keep_private(configuration)
    assert open_to_others(configuration) == ()
    assert examined(configuration) == "its user's alone"


def test_the_password_in_the_address_of_the_database_is_taken_out_of_what_is_logged(tmp_path: Path) -> None:
    written = ("horse%2Fbattery", "horse#battery", "horse?battery", "horse/battery", "horse[battery", "horse@battery")
    for password in written:
        environment = {"MAMA_STORE__URL": f"postgresql://mama:{password}@db.example/mama"}
        redact = read_configuration(write_configuration(tmp_path), environment=environment).redactor()
        for secret in (password, unquote(password)):
            assert secret not in redact(f"connecting as mama with {secret} failed")
