"""The settings of what asks without a person, and what is told of a mistake in them."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mama_bot.app.configuration import DATABASE_NAME, read_configuration
from mama_bot.app.trigger_parts import STATE
from mama_bot.commands.trigger_checks import examined_triggers, paused_triggers
from mama_bot.config import QueueSettings, Settings
from mama_bot.errors import ConfigurationError
from mama_bot.store import open_store, sqlite_url
from mama_bot.triggers.pauses import Pauses
from tests.end_to_end.team import write_configuration
from tests.store.making import TickingClock
from tests.test_config import load, refusal

SECRET = {"MAMA_WEBHOOKS__CI__SECRET": "0123456789abcdef"}
NIGHTLY = "schedules:\n  nightly:\n    channel: web/ops\n    prompt: Go on.\n    "
ODD = "schedules:\n  n:\n    cron: 0 3 * * *\n    prompt: x\n    channel: "
CI = "webhooks:\n  ci:\n    channel: web/ops\n    prompt: Look.\n    "


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (f"{NIGHTLY}cron: '61 * * * *'", 5, "schedules.nightly.cron: '61 * * * *' is no line of cron: bad minute."),
        (
            f"{NIGHTLY}cron: 0 3 * * *\n    time_zone: Berlin",
            6,
            "schedules.nightly.time_zone: 'Berlin' is no time zone.",
        ),
        (f"{NIGHTLY}crn: 0 3 * * *", 5, "Unknown key 'schedules.nightly.crn'. Did you mean 'cron'?"),
        (f"{NIGHTLY}time_zone: UTC", 2, "schedules.nightly.cron: expected a value, there is none."),
        (
            "schedules:\n  n:\n    {cron: 0 3 * * *, channel: C1, prompt: x}",
            3,
            "'C1' names no place. Write platform/id",
        ),
        (
            "schedules:\n  n:\n    cron: 0 3 * * *\n    prompt: x\n    channel: web/a/b",
            5,
            "'a/b' names no conversation on the page",
        ),
        ("schedules:\n  n:\n    cron: 0 3 * * *\n    prompt: ' '\n    channel: web/a", 4, "expected what the team is"),
        (
            f"{ODD}slack/general",
            5,
            "schedules.n.channel: 'general' is no id of a channel on slack. Write it as C0123ABC",
        ),
        (f"{ODD}slack/C1/x", 5, "'C1/x' is no id of a channel on slack."),
        (f"{ODD}discord/C1", 5, "'C1' is no id of a channel on discord. Write it as 1234567890 or"),
        (f"{ODD}telegram/@team", 5, "'@team' is no id of a channel on telegram. Write it as -1001234567890 or"),
        ("schedules:\n  Nightly: {cron: 0 3 * * *, prompt: x, channel: web/a}", 2, "this is no name for a schedule."),
        (f"{CI}kind: github\nschedules:\n  ci: {{cron: 0 3 * * *, prompt: x, channel: web/a}}", 2, "has this name too"),
        (f"{CI}kind: gihub", 5, "webhooks.ci.kind: expected 'github', 'gitlab' or 'json'."),
        (
            f"{CI}kind: github\n    secret: 0123456789abcdef",
            6,
            "webhooks.ci.secret is a secret and does not belong here.",
        ),
        (f"{CI}kind: github\n    event_field: x", 6, "this is for `kind: json`, and of github it is known."),
        (f"{CI}kind: json\n    events: [a]", 6, "where they stand is not known. Name the field: `event_field:"),
        (f"{CI}kind: json\n    event_field: a..b", 6, "'a..b' names no field."),
        (f"{CI}kind: json\n    delivery_header: 'a b'", 6, "'a b' is no name of a header."),
        (f"{CI}kind: json\n    proof: hmac\n    delivery_header: X-Id", 7, "a signature covers the body alone"),
        (f"{CI}kind: json\nweb: {{enabled: false}}", 3, "web.enabled is false"),
        ("webhooks:\n  ci:\n    {kind: json, channel: web/a, prompt: '{{ a }'}", 3, "a field begins with {{ and does"),
        (
            "webhooks:\n  ci:\n    {kind: json, channel: web/a, prompt: '{{ a() }}'}",
            3,
            "'a()' names no field. Write keys",
        ),
        ("webhooks:\n  c-i:\n    {kind: json, channel: web/a, prompt: x}", 2, "this is no name for a hook."),
    ],
)
def test_a_mistake_is_a_sentence_with_key_and_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    error = refusal(tmp_path, text, SECRET if "  ci:\n" in text else {})
    assert words in str(error)
    assert error.line == line
    assert "0123456789abcdef" not in str(error)


HOOK = {"kind": "github", "prompt": "x", "channel": "web/ops"}
TO_SLACK = {"cron": "0 3 * * *", "prompt": "x", "channel": "slack/C1"}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"webhooks": {"ci": HOOK}},
            r":\d+: webhooks.ci: it has no secret. Set MAMA_WEBHOOKS__CI__SECRET in the environment or secrets.env.",
        ),
        (
            {"schedules": {"n": TO_SLACK}},
            r":\d+: schedules.n.channel: slack has no token, so nothing could be posted in slack/C1. Set it",
        ),
    ],
)
def test_a_service_does_not_start_without_what_its_triggers_need_and_a_command_beside_it_does(
    tmp_path: Path, settings: Mapping[str, Any], words: str
) -> None:
    file = write_configuration(tmp_path, **settings)
    with pytest.raises(ConfigurationError, match=words):
        read_configuration(file, environment={})
    assert read_configuration(file, environment={}, serves=False).personas.keys() >= {"developer"}


def test_the_secret_of_a_hook_is_long_enough(tmp_path: Path) -> None:
    short = refusal(tmp_path, f"{CI}kind: github", {"MAMA_WEBHOOKS__CI__SECRET": "hunter2"})
    assert "MAMA_WEBHOOKS__CI__SECRET is wrong: webhooks.ci.secret: it is too short" in str(short)
    assert "hunter2" not in str(short)
    hook = load(tmp_path, f"{CI}kind: github", SECRET).webhooks["ci"]
    assert hook.secret is not None
    assert hook.secret.get_secret_value() == "0123456789abcdef"


@pytest.mark.parametrize("name", ["MAMA_WEBHOOKS__CI__CHANNEL", "MAMA_SCHEDULES__N__CRON", "MAMA_SCHEDULES"])
def test_of_triggers_only_a_secret_is_a_variable(tmp_path: Path, name: str) -> None:
    assert "only MAMA_WEBHOOKS__NAME__SECRET is a variable" in str(refusal(tmp_path, "", {name: "{}"}))


def test_a_trigger_asks_a_persona_that_there_is(tmp_path: Path) -> None:
    nightly = {"cron": "0 3 * * *", "prompt": "x", "channel": "web/ops", "persona": "develper"}
    file = write_configuration(tmp_path, schedules={"nightly": nightly})
    with pytest.raises(ConfigurationError, match=r"schedules.nightly.persona: 'develper' is no persona. Did you mean"):
        read_configuration(file, environment={})


def test_the_secret_of_a_hook_is_taken_out_of_logs(tmp_path: Path) -> None:
    configuration = read_configuration(write_configuration(tmp_path, webhooks={"ci": HOOK}), environment=SECRET)
    assert "0123456789abcdef" not in configuration.redactor()("it is 0123456789abcdef")


def test_the_doctor_says_when_each_asks_next_and_where_each_listens() -> None:
    nightly = {"cron": "0 3 * * *", "prompt": "x", "channel": "web/ops", "time_zone": "Asia/Seoul"}
    hook = {"kind": "github", "prompt": "x", "channel": "slack/C1"}
    settings = Settings.model_validate({"schedules": {"nightly": nightly}, "webhooks": {"ci": hook}})
    lines = [(line.subject, line.outcome) for line in examined_triggers(settings, datetime(2026, 1, 1, 12, tzinfo=UTC))]
    assert lines[0] == ("schedule nightly", "asks in web/ops, next 2026-01-02 03:00 (Asia/Seoul)")
    assert lines[1][0] == "hook ci"
    assert lines[1][1].startswith(
        "asks in slack/C1, listens at http://127.0.0.1:8642/hooks/ci (other machines reach it"
    )


def test_the_doctor_says_what_rests_in_the_place_of_a_next_time(tmp_path: Path) -> None:
    nightly = {"cron": "0 3 * * *", "prompt": "x", "channel": "web/ops"}
    configuration = read_configuration(write_configuration(tmp_path, schedules={"nightly": nightly}), environment={})
    assert asyncio.run(paused_triggers(configuration)) == {}

    async def pause() -> None:
        file = configuration.directory / DATABASE_NAME
        file.parent.mkdir(parents=True)
        clock = TickingClock()
        async with open_store(sqlite_url(file), clock=clock, queue=QueueSettings()) as store:
            await Pauses(state=store.gateway_state(STATE), clock=clock).begin("nightly", by="Kim")

    asyncio.run(pause())
    now = datetime(2026, 1, 1, 12, tzinfo=UTC)
    [line] = examined_triggers(configuration.settings, now, asyncio.run(paused_triggers(configuration)))
    assert line.outcome.startswith("asks in web/ops, paused by Kim since 2026-")


def test_what_the_documents_show_is_what_a_service_takes(tmp_path: Path) -> None:
    text = (Path(__file__).parents[1] / "docs" / "triggers.md").read_text(encoding="utf-8")
    examples = [block.partition("\n```")[0] for block in text.split("```yaml\n")[1:]]
    assert len(examples) == 2
    settings = load(tmp_path, "\n".join(examples), SECRET)
    assert settings.schedules["nightly"].time_zone == "Europe/Berlin"
    assert settings.webhooks["ci"].events == ("workflow_run.completed",)
