"""The doctor asks the platforms: all at once, each with a deadline, and no secret in what it says."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from mama_bot.app.configuration import read_configuration
from mama_bot.commands.doctor import examine_all
from mama_bot.commands.platform_checks import Examiner, examined
from mama_bot.config import PlatformSettings, load_settings
from mama_bot.model import Examination
from mama_bot.redaction import redactor
from tests.end_to_end.places import PLACES
from tests.end_to_end.team import write_configuration

SECRET = "Zq8vPw3nTx6bKd1mRf5s"
ENVIRONMENT = {
    "MAMA_DISCORD__TOKEN": SECRET,
    "MAMA_SLACK__BOT_TOKEN": "xoxb-1",
    "MAMA_SLACK__APP_TOKEN": "xapp-1",
    "MAMA_TELEGRAM__TOKEN": "1:a",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    subject: str
    ok: bool
    outcome: str
    remedy: str = ""


def told(examiners: Mapping[str, Examiner], *, seconds: float = 10, **environment: str) -> Sequence[Examination]:
    settings = load_settings(None, environment=environment or ENVIRONMENT)
    return asyncio.run(examined(settings, redact=redactor([SECRET]), examiners=examiners, seconds=seconds))


async def fine(settings: PlatformSettings) -> Sequence[Found]:
    return (Found(subject="token", ok=True, outcome="@our_bot"),)


async def silent(settings: PlatformSettings) -> Sequence[Found]:
    await asyncio.Event().wait()
    return ()


async def unreachable(settings: PlatformSettings) -> Sequence[Found]:
    raise ConnectionRefusedError(111, "Connection refused")


async def broken(settings: PlatformSettings) -> Sequence[Found]:
    raise RuntimeError(f"cannot read\n{SECRET}")


@pytest.mark.parametrize("platform", PLACES)
async def test_a_platform_itself_is_asked_where_no_examiner_is_given(tmp_path: Path, platform: str) -> None:
    async with PLACES[platform]() as place:
        file = tmp_path / "config.yaml"
        file.write_text(json.dumps({platform: place.settings}))
        settings = load_settings(file, environment=place.environment)
        findings = await examined(settings, redact=str)
        assert findings
        assert [finding.outcome for finding in findings if not finding.ok] == []
        wrong = {name: f"{token[:-1]}x" for name, token in place.environment.items()}
        refused = await examined(load_settings(file, environment=wrong), redact=str)
    assert not all(finding.ok for finding in refused)
    assert not any("could not be asked" in finding.outcome for finding in refused)


def test_each_platform_answers_for_itself() -> None:
    discord, slack, telegram = told({"discord": broken, "slack": fine, "telegram": unreachable})
    assert slack == Examination(subject="slack: token", ok=True, outcome="@our_bot")
    assert not discord.ok
    assert discord.outcome == "could not be asked: cannot read [redacted] (RuntimeError)"
    assert telegram.outcome == "not reached: [Errno 111] Connection refused"
    assert "https://api.telegram.org/bot: network, proxy, firewall" in telegram.remedy


def test_a_platform_that_does_not_answer_holds_nobody_up() -> None:
    discord, slack, _ = told({"discord": silent, "slack": fine, "telegram": fine}, seconds=0.01)
    assert discord.outcome == "no answer within 0.01 s"
    assert slack.ok


def test_platforms_are_asked_at_the_same_time() -> None:
    meeting = asyncio.Barrier(3)

    async def met(settings: PlatformSettings) -> Sequence[Found]:
        await meeting.wait()
        return await fine(settings)

    assert all(finding.ok for finding in told({"discord": met, "slack": met, "telegram": met}))


def test_a_platform_without_a_token_is_not_asked() -> None:
    assert told({}, MAMA_POOL__SIZE="2") == []


@pytest.mark.parametrize(("examiner", "ok"), [(fine, True), (unreachable, False)])
def test_the_doctor_tells_what_a_platform_said(tmp_path: Path, examiner: Examiner, ok: bool) -> None:
    file = write_configuration(tmp_path)
    configuration = read_configuration(file, environment={"MAMA_DISCORD__TOKEN": SECRET})
    findings = examine_all(configuration, examiners={"discord": examiner})
    assert [finding.ok for finding in findings if finding.subject.startswith("discord")] == [ok]
    assert any("discord.access lists nobody" in finding.outcome for finding in findings)
