"""What `doctor` and the wizard are told about a bot on Discord."""

from urllib.parse import parse_qs, urlsplit

from mama_bot.gateways.discord.examination import PERMISSIONS, examine_discord, invite_url
from tests.gateways.discord.stage import settings_for
from tests.platforms.discord_server import DiscordServer


async def test_nothing_is_missing(server: DiscordServer) -> None:
    findings = await examine_discord(settings_for(server))
    assert [finding.subject for finding in findings if not finding.ok] == []
    assert "mama" in findings[0].outcome


async def test_a_bad_token_is_named(server: DiscordServer) -> None:
    [finding] = await examine_discord(settings_for(server, token="wrong"))
    assert (finding.subject, finding.ok) == ("token", False)
    assert "MAMA_DISCORD__TOKEN" in finding.remedy


async def test_a_missing_intent_and_missing_permissions_are_named(server: DiscordServer) -> None:
    server.world.content_allowed = False
    server.deny("MANAGE_WEBHOOKS", place=server.world.guild_id)
    findings = {finding.subject: finding for finding in await examine_discord(settings_for(server))}
    assert "Message Content Intent" in findings["Message Content intent"].remedy
    assert "Manage Webhooks" in findings["permissions in Test"].outcome


async def test_a_platform_that_is_not_reached_is_named(server: DiscordServer) -> None:
    [finding] = await examine_discord(settings_for(server, api_url="http://127.0.0.1:9/api/v10"))
    assert (finding.subject, finding.ok) == ("connection", False)


async def test_a_persona_with_a_bad_token_is_named(server: DiscordServer) -> None:
    findings = await examine_discord(settings_for(server, persona_tokens={"developer": "wrong"}))
    assert [finding.ok for finding in findings if "developer" in finding.subject] == [False]


def test_the_invitation_asks_for_what_is_needed() -> None:
    asked = parse_qs(urlsplit(invite_url("123")).query)
    assert asked["client_id"] == ["123"]
    assert asked["scope"] == ["bot applications.commands"]
    assert int(asked["permissions"][0]) == sum(PERMISSIONS.values())
