"""What a delivery is about, and whether somebody wants it."""

from typing import Any

import pytest

from mama_bot.config import WebhookSettings
from mama_bot.triggers.happenings import happening_of
from tests.triggers.deliveries import PUSH, bearer, gitlab, hook


def github(
    event: str, document: dict[str, Any], *, events: tuple[str, ...] = (), branches: tuple[str, ...] = ()
) -> bool:
    settings = hook(events=events, branches=branches)
    happening = happening_of(settings, {"x-github-event": event}, document)
    return happening.is_of(settings.events) and happening.is_on(settings.branches)


OPENED = {"action": "opened", "pull_request": {"base": {"ref": "release/2"}, "head": {"ref": "main"}}}
RUN = {"action": "completed", "workflow_run": {"head_branch": "main"}}


@pytest.mark.parametrize(
    ("event", "document", "events", "branches", "wanted"),
    [
        ("push", PUSH, (), (), True),
        ("push", PUSH, ("push",), ("main",), True),
        ("push", PUSH, ("pull_request",), (), False),
        ("push", PUSH, (), ("release/*",), False),
        ("push", {"ref": "refs/tags/main"}, (), ("main",), False),
        ("pull_request", OPENED, ("pull_request.opened",), ("release/*",), True),
        ("pull_request", OPENED, ("pull_request",), ("main",), False),
        ("pull_request", OPENED, ("pull_request.closed",), (), False),
        ("workflow_run", RUN, ("workflow_run.*",), ("main",), True),
        ("status", {"branches": [{"name": "dev"}, {"name": "main"}]}, (), ("main",), True),
        ("ping", {"zen": "x"}, ("push",), (), False),
        ("ping", {"zen": "x"}, (), (), False),
        ("ping", {"zen": "x"}, ("ping",), (), True),
        ("push", {"ref": ["refs/heads/main"]}, (), ("main",), False),
    ],
)
def test_events_and_branches_of_github(
    event: str, document: dict[str, Any], events: tuple[str, ...], branches: tuple[str, ...], wanted: bool
) -> None:
    assert github(event, document, events=events, branches=branches) is wanted


@pytest.mark.parametrize(
    ("document", "names", "branches"),
    [
        ({"object_kind": "push", "ref": "refs/heads/main"}, ("push",), ("main",)),
        (
            {"object_kind": "merge_request", "object_attributes": {"action": "open", "target_branch": "main"}},
            ("merge_request", "merge_request.open"),
            ("main",),
        ),
        (
            {"object_kind": "pipeline", "object_attributes": {"status": "failed", "ref": "dev"}},
            ("pipeline", "pipeline.failed"),
            ("dev",),
        ),
    ],
)
def test_events_and_branches_of_gitlab(
    document: dict[str, Any], names: tuple[str, ...], branches: tuple[str, ...]
) -> None:
    happening = happening_of(hook("gitlab"), gitlab(), document)
    assert (happening.events, happening.branches) == (names, branches)


def test_of_json_the_settings_say_where_they_stand() -> None:
    settings = hook("json", event_field="what.kind", branch_field="where")
    happening = happening_of(settings, bearer(), {"what": {"kind": "build"}, "where": "refs/heads/main"})
    assert (happening.events, happening.branches, happening.words) == (("build",), ("main",), "`build`, `main`")
    assert happening_of(hook("json"), bearer(), {"what": 3}).words == ""
    foreign = {"what": {"kind": "a`\n@channel **now**"}, "where": "x" * 200}
    assert happening_of(settings, bearer(), foreign).words == f"`a? @channel **now**`, `{'x' * 79}…`"


@pytest.mark.parametrize(
    ("settings", "document", "sender"),
    [
        (hook(), {"sender": {"login": "kim"}, "user": {"username": "lee"}}, "kim"),
        (hook("gitlab"), {"user": {"username": "kim"}}, "kim"),
        (hook("gitlab"), {"user_username": "kim", "user_name": "Minsu Kim"}, "kim"),
        (hook("json", sender_field="by.0"), {"by": ["kim"]}, "kim"),
        (hook("json"), {"sender": {"login": "kim"}}, ""),
        (hook(), {"sender": "kim"}, ""),
    ],
)
def test_who_did_it_is_read_where_the_service_names_them(
    settings: WebhookSettings, document: dict[str, Any], sender: str
) -> None:
    happening = happening_of(settings, {}, document)
    assert happening.sender == sender
    assert happening.is_by(())
    assert happening.is_by(("k*", "lee")) is (sender == "kim")
    assert not happening.is_by(("lee",))
