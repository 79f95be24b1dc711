"""The set-up: what it asks, what it writes, and that it leaves everything as it was unless a person agrees."""

import io
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.app.configuration import read_configuration
from mama_bot.commands.command_line import run_command
from mama_bot.commands.platform_checks import Examiner
from mama_bot.commands.setup.console import InputEnded, StreamConsole
from mama_bot.commands.setup.init import SetUp, SetUpAnswers
from mama_bot.commands.setup.manifests import discord_application
from mama_bot.commands.setup.new_files import DEFAULTS, SHIPPED, with_secrets
from mama_bot.commands.setup.setup_arguments import session_language
from mama_bot.config import PlatformSettings, read_secrets
from mama_bot.errors import ConfigurationError
from mama_bot.wording import Language
from tests.end_to_end.evidence import git

ROOT = Path(__file__).parents[2]
DISCORD = "MTIzNDU2Nzg5MDEyMzQ1Njc4.abcdef.zyxwvutsrqponmlkjihgfedcba1"
XOXB, XAPP = "xoxb-123456789012-abcdefgh", "xapp-1-A0123456789-abcdefgh"
TELEGRAM = "123456789:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    subject: str = "token"
    ok: bool = True
    outcome: str = "@our_bot"
    remedy: str = ""


def answering(*findings: Found) -> Mapping[str, Examiner]:
    async def examine(settings: PlatformSettings) -> Sequence[Found]:
        return findings or (Found(),)

    return {"slack": examine, "discord": examine, "telegram": examine}


@dataclass
class Told:
    written: bool
    output: str


def set_up(
    directory: Path,
    *lines: str,
    environment: Mapping[str, str] | None = None,
    examiners: Mapping[str, Examiner] | None = None,
    answers: SetUpAnswers | None = None,
    name: str = "config.yaml",
) -> Told:
    output = io.StringIO()
    one = SetUp(
        file=directory / name,
        answers=answers or SetUpAnswers(repository=""),
        console=StreamConsole(io.StringIO("".join(f"{line}\n" for line in lines)), output),
        environment=environment or {},
        examiners=examiners or answering(),
        manifest=lambda: '{"display_information": {}}',
        invitation=lambda application: f"https://discord.example/{application}",
    )
    written = one.run()
    return Told(written, output.getvalue())


def files(directory: Path) -> Mapping[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    shutil.copy(DEFAULTS, tmp_path / "config.yaml")
    shutil.copytree(SHIPPED / "personas", tmp_path / "personas")
    return tmp_path


def test_an_empty_folder_becomes_a_place_that_can_be_started(tmp_path: Path) -> None:
    told = set_up(tmp_path, "telegram", TELEGRAM, "42", "-100123", "y")
    assert told.written
    configuration = read_configuration(tmp_path / "config.yaml", environment={})
    assert [*configuration.personas] == ["developer", "lead", "reviewer"]
    telegram = configuration.settings.telegram
    assert telegram.access.owners == ("42",)
    assert telegram.access.channels == ("-100123",)
    assert telegram.token is not None
    assert telegram.token.get_secret_value() == TELEGRAM
    assert TELEGRAM not in (tmp_path / "config.yaml").read_text(encoding="utf-8")
    assert TELEGRAM not in told.output


def test_what_it_writes_is_a_few_lines_on_top_of_the_defaults_and_nothing_that_git_tracks(tmp_path: Path) -> None:
    shutil.copy(ROOT / ".gitignore", tmp_path)
    shutil.copy(DEFAULTS, tmp_path / "config.yaml")
    shutil.copytree(SHIPPED / "personas", tmp_path / "personas")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "Begin")
    assert set_up(tmp_path, "telegram", TELEGRAM, "42", "", "y", name="config.local.yaml").written
    assert git(tmp_path, "status", "--porcelain") == ""
    lines = (tmp_path / "config.local.yaml").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line and not line.startswith("#")] == [
        "telegram:",
        "  access:",
        "    owners:",
        "      - '42'",
    ]
    assert str(DEFAULTS) in "\n".join(lines)


@pytest.mark.parametrize(("lines", "yes"), [((), True), (("", "y"), False)])
def test_without_a_platform_there_is_the_page_alone(tmp_path: Path, lines: Sequence[str], yes: bool) -> None:
    told = set_up(tmp_path, *lines, answers=SetUpAnswers(repository="", yes=yes))
    assert told.written
    assert "`mama-bot run` prints a link" in told.output
    assert "Invite the bot" not in told.output
    settings = read_configuration(tmp_path / "config.yaml", environment={}).settings
    assert settings.web.enabled
    assert settings.slack.bot_token is None


def test_the_secrets_file_is_readable_by_its_owner_alone(shipped: Path) -> None:
    (shipped / "secrets.env").write_text("# mine\nANTHROPIC_API_KEY=sk-1\nMAMA_DISCORD__TOKEN=\n", encoding="utf-8")
    (shipped / "secrets.env").chmod(0o644)
    set_up(shipped, "discord", DISCORD, "", "", "")
    file = shipped / "secrets.env"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_text(encoding="utf-8") == f"# mine\nANTHROPIC_API_KEY=sk-1\nMAMA_DISCORD__TOKEN={DISCORD}\n"
    assert (shipped / "config.yaml").stat().st_mode & 0o777 == DEFAULTS.stat().st_mode & 0o777


def test_comments_and_every_other_line_of_the_configuration_stay(shipped: Path) -> None:
    before = (shipped / "config.yaml").read_text(encoding="utf-8").splitlines()
    set_up(shipped, "discord", DISCORD, "123456", "654321,777777", "y")
    after = (shipped / "config.yaml").read_text(encoding="utf-8").splitlines()
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert changed == [
        (
            "    owners: [] # people who confirm pairings and approvals; served everywhere",
            "    owners: ['123456'] # people who confirm pairings and approvals; served everywhere",
        ),
        (
            "    channels: [] # channels or chats in which everybody is served",
            "    channels: ['654321', '777777'] # channels or chats in which everybody is served",
        ),
    ]


def test_a_second_run_keeps_what_is_there_and_adds_nothing_twice(shipped: Path) -> None:
    set_up(shipped, "discord", DISCORD, "123456", "", "y")
    before = files(shipped)
    told = set_up(shipped, "discord", "", "123456", "")
    assert "Nothing to write" in told.output
    assert files(shipped) == before


def test_slack_shows_its_manifest_and_wants_both_tokens(shipped: Path) -> None:
    told = set_up(shipped, "slack", XAPP, "xoxb-1", XOXB, XOXB, XAPP, "U01ABC", "C01ABC", "y")
    assert "https://api.slack.com/apps?new_app=1" in told.output
    assert '{"display_information": {}}' in told.output
    assert "is a token for slack.app_token" in told.output
    assert "slack.bot_token does not look like a token: expected xoxb-..." in told.output
    assert read_secrets(shipped / "secrets.env") == {
        "MAMA_SLACK__BOT_TOKEN": XOXB,
        "MAMA_SLACK__APP_TOKEN": XAPP,
    }


def test_discord_shows_the_invitation_of_this_very_bot(shipped: Path) -> None:
    told = set_up(shipped, "discord", DISCORD, "", "", "y")
    assert "https://discord.example/123456789012345678" in told.output
    assert "Message Content Intent" in told.output
    assert "mama-bot pair CODE" in told.output


def test_bad_answers_are_asked_again_with_a_sentence(shipped: Path) -> None:
    told = set_up(
        shipped,
        *("discrod", "discord"),
        *("", f"Bot {DISCORD}", f'"{DISCORD}"', DISCORD),
        *("somebody", "123456, x", "123456"),
        *("#general", ""),
        *("perhaps", "y"),
    )
    assert told.written
    assert "'discrod' is none of slack, discord, telegram. Did you mean 'discord'?" in told.output
    assert "without 'Bot' before it" in told.output
    assert "without quotes around it" in told.output
    assert "'somebody' is no id of Discord" in told.output
    assert "Answer y or n." in told.output
    assert DISCORD not in told.output


def test_a_token_that_the_platform_refuses_is_asked_for_again(shipped: Path) -> None:
    refused = answering(Found(ok=False, outcome="the token is not valid", remedy="Reset it."))
    told = set_up(shipped, "discord", DISCORD, "n", DISCORD + "2", "y", "", "", "y", examiners=refused)
    assert told.output.count("PROBLEM discord: token: the token is not valid") == 2
    assert read_secrets(shipped / "secrets.env") == {"MAMA_DISCORD__TOKEN": DISCORD + "2"}


def test_an_examiner_that_fails_shows_no_token(shipped: Path) -> None:
    async def broken(settings: PlatformSettings) -> Sequence[Found]:
        raise OSError(f"cannot connect with {DISCORD}")

    told = set_up(shipped, "discord", DISCORD, "y", "", "", "y", examiners={"discord": broken})
    assert "not reached: cannot connect with [redacted]" in told.output
    assert DISCORD not in told.output


def test_saying_no_leaves_everything_as_it_was(tmp_path: Path) -> None:
    told = set_up(tmp_path, "telegram", TELEGRAM, "", "", "n")
    assert not told.written
    assert "Nothing was written." in told.output
    assert not files(tmp_path)


def test_the_end_of_the_input_leaves_everything_as_it_was(shipped: Path) -> None:
    before = files(shipped)
    lines = ["discord", DISCORD, "123456", "654321", "y"]
    for count in range(len(lines)):
        with pytest.raises(InputEnded):
            set_up(shipped, *lines[:count])
        assert files(shipped) == before


def test_an_interruption_leaves_everything_as_it_was(shipped: Path) -> None:
    async def interrupted(settings: PlatformSettings) -> Sequence[Found]:
        raise KeyboardInterrupt

    before = files(shipped)
    with pytest.raises(KeyboardInterrupt):
        set_up(shipped, "discord", DISCORD, examiners={"discord": interrupted})
    assert files(shipped) == before


def test_with_yes_nothing_is_asked(shipped: Path) -> None:
    answers = SetUpAnswers(platforms=("discord",), owners={"discord": ["123456"]}, yes=True)
    told = set_up(shipped, environment={"MAMA_DISCORD__TOKEN": DISCORD}, answers=answers)
    assert told.written
    assert read_secrets(shipped / "secrets.env") == {"MAMA_DISCORD__TOKEN": DISCORD}
    assert read_configuration(shipped / "config.yaml", environment={}).settings.discord.access.owners == ("123456",)


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (SetUpAnswers(platforms=("discord",), yes=True), "There is no MAMA_DISCORD__TOKEN"),
        (SetUpAnswers(platforms=("discord",), owners={"discord": ["me"]}, yes=True), "'me' is no id of Discord"),
        (SetUpAnswers(platforms=("telegram",), owners={"telegram": []}, yes=True), "telegram.token does not look like"),
    ],
)
def test_with_yes_what_is_missing_or_wrong_is_a_sentence(shipped: Path, answers: SetUpAnswers, words: str) -> None:
    environment = {"MAMA_DISCORD__TOKEN": DISCORD, "MAMA_TELEGRAM__TOKEN": "hunter2"} if answers.owners else {}
    before = files(shipped)
    with pytest.raises(ConfigurationError, match=words):
        set_up(shipped, environment=environment, answers=answers)
    assert files(shipped) == before


def test_what_agents_would_lack_is_said_before_anything_is_asked(shipped: Path) -> None:
    told = set_up(shipped, environment={"PATH": str(shipped)}, answers=SetUpAnswers(repository="", yes=True))
    assert "PROBLEM git is not there, so no agent can work" in told.output.partition("This will be written")[0]
    assert "`mama-bot login` logs in" in told.output


def test_a_broken_configuration_is_named_before_anything_is_asked(shipped: Path) -> None:
    (shipped / "config.yaml").write_text("pol: {}\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="Unknown key 'pol'"):
        set_up(shipped, "discord")


def test_everything_is_asked_in_korean_too(shipped: Path) -> None:
    told = set_up(
        shipped,
        "디스코드",
        "discord,telegram",
        DISCORD,
        "",
        "",
        TELEGRAM,
        "",
        "",
        "",
        "네",
        answers=SetUpAnswers(language=Language.KOREAN),
    )
    assert told.written
    for words in ("어느 플랫폼을 쓰나요?", "중에서 골라 주세요", "개발자 모드", "다음을 씁니다:", "썼습니다."):
        assert words in told.output


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "ko_KR.UTF-8"}, "ko"),
        ({"LANG": "ko_KR.UTF-8", "LC_ALL": "en_US.UTF-8"}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LC_ALL": "", "LANG": "ko"}, "ko"),
        ({}, "en"),
    ],
)
def test_the_language_is_that_of_the_session(environment: Mapping[str, str], language: str) -> None:
    assert session_language(environment) == language


def test_flags_and_the_end_of_the_input_have_their_exit_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = ("--config", str(tmp_path / "config.yaml"))
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert run_command(["init", *config]) == 2
    assert "The input ended before the set-up was complete. Nothing was written." in capsys.readouterr().err
    assert run_command(["init", "--platform", "slack", "--platform", "discord", "--owner", "1", *config]) == 2
    assert "--owner slack=ID" in capsys.readouterr().err
    assert not files(tmp_path)


def test_the_invitation_the_manifest_and_the_steps_are_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("mama_bot.gateways.discord.examination", exc_type=ModuleNotFoundError)
    pytest.importorskip("mama_bot.gateways.slack.manifest", exc_type=ModuleNotFoundError)
    config = ("--config", str(tmp_path / "config.yaml"))
    assert run_command(["manifest", "discord", *config]) == 0
    assert "client_id=APPLICATION_ID" in capsys.readouterr().out
    (tmp_path / "secrets.env").write_text(f"MAMA_DISCORD__TOKEN={DISCORD}\n", encoding="utf-8")
    assert run_command(["manifest", "discord", *config]) == 0
    assert "client_id=123456789012345678" in capsys.readouterr().out
    assert run_command(["manifest", "slack", *config]) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["socket_mode_enabled"]


def test_the_steps_with_botfather_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["manifest", "telegram", "--language", "ko", "--config", str(tmp_path / "config.yaml")]) == 0
    said = capsys.readouterr().out
    assert "/setprivacy" in said
    assert "토큰" in said


@pytest.mark.parametrize("token", ["", "abc", "####.x.y", "bm90IGEgbnVtYmVy.x.y", "한.글"])
def test_some_tokens_tell_no_application(token: str) -> None:
    assert discord_application(token) == ""


NAMES = st.sampled_from(["MAMA_A", "MAMA_B", "OTHER"])


@given(
    st.lists(st.tuples(NAMES, st.text("abc=# '", max_size=5)), max_size=6),
    st.dictionaries(NAMES, st.text("xyz", min_size=1)),
)
def test_lines_of_the_secrets_file_are_replaced_in_place_or_added(
    lines: list[tuple[str, str]], secrets: dict[str, str]
) -> None:
    text = "".join(f'# {name}\n{name}="{value}"\n' for name, value in lines)
    after = with_secrets(text, secrets)
    assert [line for line in after.splitlines() if line.startswith("#")] == [f"# {name}" for name, _ in lines]
    for name, value in secrets.items():
        assert after.splitlines().count(f"{name}={value}") == 1
    for name, value in lines:
        if name not in secrets:
            assert f'{name}="{value}"' in after.splitlines()
