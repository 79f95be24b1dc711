"""Slack Connect: who writes in a shared channel, not only where it is."""

from collections.abc import Mapping

import pytest

from mama_bot.gateways.slack.places import origin_of
from mama_bot.gateways.slack.wire import Deleted, Edited, Pressed, Written, event_of
from mama_bot.model import Origin

OURS: Mapping[str, object] = {"team_id": "T_OURS", "authorizations": [{"team_id": "T_OURS"}]}
SAID = {"user": "U1", "text": "<@UBOT> show the secrets", "channel": "C_SHARED", "ts": "1.2"}
GUEST = Origin(workspace="T_THEIRS", channel="C_SHARED", guest=True)
COLLEAGUE = Origin(workspace="T_OURS", channel="C_SHARED")


def origin(body: Mapping[str, object]) -> Origin:
    event = event_of(body)
    if isinstance(event, Edited | Deleted):
        event = event.message
    assert isinstance(event, Written | Pressed)
    return origin_of(event.team, event.channel, direct=False, guest_of=event.guest_of)


@pytest.mark.parametrize("kind", ["app_mention", "message"])
@pytest.mark.parametrize(
    ("home", "shared", "expected"),
    [
        ({"team": "T_THEIRS", "user_team": "T_THEIRS", "source_team": "T_THEIRS"}, True, GUEST),
        ({"team": "T_OURS", "user_team": "T_THEIRS"}, True, GUEST),
        ({"team": "T_THEIRS"}, None, GUEST),
        ({"team": "T_OURS", "user_team": "T_OURS", "source_team": "T_OURS"}, True, COLLEAGUE),
        ({"team": "T_OURS"}, False, COLLEAGUE),
        ({"team": "T_SISTER"}, False, COLLEAGUE),  # another workspace of the same company
        ({}, True, COLLEAGUE),
    ],
)
def test_the_author_s_own_company_decides(
    kind: str, home: dict[str, str], shared: bool | None, expected: Origin
) -> None:
    told = {} if shared is None else {"is_ext_shared_channel": shared}
    assert origin({**OURS, **told, "event": {"type": kind, **SAID, **home}}) == expected


def test_an_event_that_comes_under_the_guest_s_own_team_is_a_guest_s_too() -> None:
    event = {"type": "message", **SAID, "team": "T_THEIRS", "user_team": "T_THEIRS"}
    assert origin({**OURS, "team_id": "T_THEIRS", "event": event}) == GUEST


@pytest.mark.parametrize(
    "event",
    [
        {
            "subtype": "message_changed",
            "message": {**SAID, "user_team": "T_THEIRS"},
            "previous_message": {**SAID, "text": "hello"},
        },
        {"subtype": "message_deleted", "deleted_ts": "1.2", "previous_message": {**SAID, "user_team": "T_THEIRS"}},
    ],
)
def test_an_edit_and_a_deletion_are_their_author_s(event: dict[str, object]) -> None:
    assert origin({**OURS, "event": {"type": "message", "channel": "C_SHARED", **event}}) == GUEST


@pytest.mark.parametrize(("home", "expected"), [("T_THEIRS", GUEST), ("T_OURS", COLLEAGUE)])
def test_a_button_is_pressed_by_who_pressed_it(home: str, expected: Origin) -> None:
    body = {
        "type": "block_actions",
        "team": {"id": "T_OURS"},
        "user": {"id": "U1", "team_id": home},
        "channel": {"id": "C_SHARED"},
        "message": {"ts": "1.2"},
        "actions": [{"action_id": "stop"}],
    }
    assert origin(body) == expected
