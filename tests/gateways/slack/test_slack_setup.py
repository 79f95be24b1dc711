import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import SecretStr

from mama_bot.app.configuration import Configuration
from mama_bot.app.platforms import chat_gateways
from mama_bot.app.system_clock import SystemClock
from mama_bot.config import Settings, SlackSettings
from mama_bot.errors import ConfigurationError
from mama_bot.gateways.slack.constants import REQUIRED_SCOPES
from mama_bot.gateways.slack.examination import examine_slack
from mama_bot.gateways.slack.manifest import manifest
from mama_bot.metrics import Metrics
from mama_bot.model import Platform
from mama_bot.protocols import Gateway
from mama_bot.testing.memory_core import MemoryState
from tests.gateways.slack.playing import DEVELOPER, Played
from tests.gateways.slack.test_slack_reading import SLACK
from tests.platforms.slack_server import SlackServer


def settings_of(server: SlackServer, **changes: object) -> SlackSettings:
    given: dict[str, object] = {
        "bot_token": SecretStr(server.app.bot_token),
        "app_token": SecretStr(server.app.app_token),
        "api_url": server.api_url,
    }
    return SlackSettings.model_validate(given | changes)


def test_the_manifest_asks_for_what_the_gateway_uses() -> None:
    made = json.loads(manifest())
    assert set(REQUIRED_SCOPES) <= set(made["oauth_config"]["scopes"]["bot"])
    assert made["settings"]["socket_mode_enabled"]
    assert made["settings"]["interactivity"]["is_enabled"]
    assert {"app_mention", "message.im", "message.channels"} <= set(
        made["settings"]["event_subscriptions"]["bot_events"]
    )


def test_the_manifest_registers_no_command_that_slack_keeps_for_itself() -> None:
    commands = {one["command"] for one in json.loads(manifest())["features"]["slash_commands"]}
    assert {"/mama", "/agents", "/stop", "/receipt", "/approve", "/deny"} <= commands
    assert not {"/status", "/help"} & commands


async def test_an_app_that_is_set_up_is_found_so(play: Played) -> None:
    findings = await examine_slack(settings_of(play.server))
    assert all(finding.ok and not finding.remedy for finding in findings)
    assert [finding.subject for finding in findings] == ["slack.bot_token", "Slack scopes", "slack.app_token"]


async def test_every_missing_scope_is_named_with_what_to_do(play: Played) -> None:
    for scope in ("files:read", "chat:write.customize"):
        play.server.app.scopes.remove(scope)
    findings = await examine_slack(settings_of(play.server))
    missing = {finding.subject: finding for finding in findings if "scope" in finding.subject}
    assert not missing["Slack scope files:read"].ok
    assert missing["Slack scope chat:write.customize"].ok
    assert all("install the app" in finding.remedy for finding in missing.values())


async def test_tokens_that_slack_refuses_are_named(play: Played) -> None:
    server = play.server
    wrong = {"bot_token": "xoxb-wrong", "app_token": server.app.bot_token, "persona_tokens": {"reviewer": "xoxb-no"}}
    findings = await examine_slack(settings_of(server, **wrong))
    assert [(finding.subject, finding.ok) for finding in findings] == [
        ("slack.bot_token", False),
        ("slack.app_token", False),
        ("slack.persona_tokens.reviewer", False),
    ]
    assert "connections:write" in findings[1].remedy
    assert not any("xoxb-" in finding.outcome for finding in findings)


async def test_tokens_that_are_not_set_and_a_slack_that_does_not_answer(play: Played) -> None:
    findings = await examine_slack(settings_of(play.server, bot_token=None, app_token=None))
    assert [finding.ok for finding in findings] == [False, False]
    findings = await examine_slack(settings_of(play.server, api_url="http://127.0.0.1:9/api/"))
    assert all("cannot be reached" in finding.outcome for finding in findings)


def gateways_of(directory: Path, **tokens: SecretStr) -> Mapping[Platform, Gateway]:
    settings = Settings(slack=SlackSettings.model_validate(tokens), data_directory=directory)
    personas = dict.fromkeys((settings.router.default_persona,), DEVELOPER)
    configuration = Configuration(settings=settings, personas=personas, environment={}, home=directory)
    return chat_gateways(configuration, state=lambda platform: MemoryState(), clock=SystemClock(), metrics=Metrics())


def test_slack_is_used_when_both_its_tokens_are_set(tmp_path: Path) -> None:
    assert SLACK not in gateways_of(tmp_path)
    assert SLACK in gateways_of(tmp_path, bot_token=SecretStr("xoxb-1"), app_token=SecretStr("xapp-1"))
    with pytest.raises(ConfigurationError, match="app_token"):
        gateways_of(tmp_path, bot_token=SecretStr("xoxb-1"))
