"""Whether a login is found, and of what kind; and which of the CLI's results is an answer."""

from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import ProcessError, ResultMessage

from mama_bot.agents.claude_events import answers, broken
from mama_bot.agents.claude_usage import ModelTokens, SessionTotal, total_so_far, usage
from mama_bot.agents.homes import home_name, link_credentials, make_home, make_run_directory
from mama_bot.agents.login import LoginKind, bundled_cli, find_login
from mama_bot.errors import AgentUnavailable
from mama_bot.model import ConversationKey, Platform


def result(**fields: Any) -> ResultMessage:
    plain = {"subtype": "success", "is_error": False, "terminal_reason": "completed", "result": "text"}
    numbers = {"duration_ms": 1, "duration_api_ms": 1, "num_turns": 1, "session_id": "s"}
    return ResultMessage(**{**plain, **numbers, **fields})


@pytest.mark.parametrize(
    ("variable", "kind"),
    [
        ("ANTHROPIC_API_KEY", LoginKind.API_KEY),
        ("ANTHROPIC_AUTH_TOKEN", LoginKind.AUTH_TOKEN),
        ("CLAUDE_CODE_OAUTH_TOKEN", LoginKind.OAUTH_TOKEN),
    ],
)
def test_a_variable_is_a_login_and_its_value_stays_hidden(variable: str, kind: LoginKind, tmp_path: Path) -> None:
    login = find_login({variable: "secret-value"}, tmp_path)
    assert login is not None
    assert (login.kind, login.source) == (kind, variable)
    assert "secret-value" not in repr(login)


def test_the_credentials_file_is_found_at_home_or_where_the_variable_says(tmp_path: Path) -> None:
    assert find_login({"ANTHROPIC_API_KEY": "  "}, tmp_path) is None
    for directory, environment in ((".claude", {}), ("own", {"CLAUDE_CONFIG_DIR": str(tmp_path / "own")})):
        file = tmp_path / directory / ".credentials.json"
        file.parent.mkdir()
        file.write_text("")
        assert find_login(environment, tmp_path) is None
        file.write_text("{}")
        login = find_login(environment, tmp_path)
        assert login is not None
        assert (login.kind, login.file) == (LoginKind.CREDENTIALS_FILE, file)


def test_the_credentials_are_linked_into_the_agents_home_and_taken_away(tmp_path: Path) -> None:
    home = make_home(tmp_path / "state", tmp_path / "run", ConversationKey(Platform("web"), "a"), "dev")
    credentials = tmp_path / "credentials.json"
    credentials.write_text("{}")
    link = home.config / ".credentials.json"
    for _ in range(2):
        link_credentials(home, credentials)
        assert link.resolve() == credentials
    link_credentials(home, None)
    assert not link.exists()
    assert credentials.exists()


def test_the_bundled_cli_is_there() -> None:
    cli = bundled_cli()
    assert cli is not None
    assert cli.is_file()


def test_homes_of_similar_conversations_differ() -> None:
    names = {
        home_name(ConversationKey(Platform("web"), channel, thread), persona)
        for channel, thread, persona in (("a", "b", "c"), ("a/b", "", "c"), ("a", "", "b/c"), ("a\0b", "", "c"))
    }
    assert len(names) == 4


def test_a_run_directory_is_emptied_of_an_earlier_run_and_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    first = make_run_directory("mark")
    (first / "left").write_text("x")
    again = make_run_directory("mark")
    assert again == first
    assert list(again.iterdir()) == []
    assert again.stat().st_mode & 0o077 == 0
    assert make_run_directory("other") != first


def test_a_run_directory_that_is_a_link_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    place = make_run_directory("mark")
    place.rmdir()
    target = tmp_path / "elsewhere"
    target.mkdir()
    (target / "precious").write_text("x")
    place.symlink_to(target)
    assert make_run_directory("mark") != place
    assert (target / "precious").exists()


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"user_message_uuid": "mine"}, True),
        ({"user_message_uuid": "later", "user_message_uuids": ["mine", "later"]}, True),
        ({"user_message_uuid": "other"}, False),
        ({"origin": {"kind": "task-notification"}}, False),
        ({"origin": {"kind": "task-notification"}, "user_message_uuid": "mine"}, True),
        ({}, True),
    ],
)
def test_only_the_result_of_our_own_message_answers_it(fields: dict[str, Any], expected: bool) -> None:
    assert answers(result(**fields), "mine") is expected


BEFORE = SessionTotal(cost_usd=0.2)


def test_what_subagents_took_is_part_of_it() -> None:
    models = {
        "sonnet": {"inputTokens": 3000, "outputTokens": 150, "cacheReadInputTokens": 70},
        "haiku": {"inputTokens": 10, "outputTokens": 5, "cacheCreationInputTokens": 30},
    }
    before = SessionTotal(cost_usd=0.1, count=ModelTokens(read=1000, written=50))
    told = result(total_cost_usd=0.5, usage={"input_tokens": 1000, "output_tokens": 50}, model_usage=models)
    spent = usage(told, before=before)
    assert (spent.input_tokens, spent.cached_tokens, spent.output_tokens) == (2110, 100, 105)
    assert spent.fresh_tokens == 2115


def test_usage_is_a_difference_and_never_negative() -> None:
    counts = {"input_tokens": 10, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 1, "output_tokens": 3}
    spent = usage(result(total_cost_usd=0.5, usage=counts), before=BEFORE)
    assert (spent.input_tokens, spent.output_tokens) == (16, 3)
    assert spent.cost_usd == pytest.approx(0.3)
    assert usage(result(total_cost_usd=0.1, usage=None), before=BEFORE).cost_usd == 0


def test_for_a_scripted_model_nobody_pays() -> None:
    spent = usage(result(total_cost_usd=0.5, usage={"output_tokens": 3}), before=BEFORE, priced=False)
    assert (spent.output_tokens, spent.cost_usd) == (3, 0.0)


def test_the_cost_so_far_is_the_newest_in_the_transcript(tmp_path: Path) -> None:
    assert total_so_far(tmp_path, "s").cost_usd == 0
    transcript = tmp_path / "projects" / "p" / "s.jsonl"
    transcript.parent.mkdir(parents=True)
    line = '{"type":"cost-state","sessionId":"s","totalCostUSD":%s}\n'
    transcript.write_text("{}\n" + line % 0.25 + '{"type":"user"}\n' + line % 0.75 + '{"type":"user"')
    assert total_so_far(tmp_path, "s").cost_usd == 0.75
    transcript.write_text('{"type":"cost-state","tot')
    assert total_so_far(tmp_path, "s").cost_usd == 0


@pytest.mark.parametrize(
    ("stderr", "remedy"),
    [
        ("the sandbox could not be set up: [Errno 1] no namespace could be made", "`mama-bot doctor`"),
        ("claude: Permission denied", "set claude.cli_path"),
    ],
)
def test_an_agent_that_cannot_start_is_told_with_what_helps(stderr: str, remedy: str) -> None:
    error = broken(ProcessError("failed", exit_code=126), stderr=stderr, session_id="s")
    assert isinstance(error, AgentUnavailable)
    assert stderr in str(error)
    assert remedy in str(error)
