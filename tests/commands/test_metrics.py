"""`mama-bot metrics`: the figures beside their targets; what there is no data for is said as such."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mama_bot.model import Allow, Evidence, Figure, FigureName, StageVerdict, TurnState
from mama_bot.store import Store
from tests.commands.places import Place
from tests.commands.test_reports import held
from tests.store.making import attempt, message, reply, sent_back, turn
from tests.store.test_migrations import as_version_1, shape

MESSAGE = message(1)
TURN = turn(MESSAGE)


def worked(place: Place) -> None:
    """A turn that needed two drafts, today."""

    async def work(store: Store) -> None:
        await store.inbox.accept(MESSAGE)
        await store.turns.add_turns([TURN])
        back, cleared = attempt(TURN, 0, outcome=sent_back()), attempt(TURN, 1, "Three files changed.")
        now = datetime.now(UTC)
        approved = (Figure(name=FigureName.APPROVAL, value=1), Figure(name=FigureName.EVIDENCE, value=0))
        gate = StageVerdict(stage="review_gate", decision=Allow(evidence=Evidence(figures=approved)))
        judged = replace(back.judgement, stages=(held(), gate))
        await store.turns.add_attempt(replace(back, judgement=judged, at=now))
        await store.turns.finish(TURN, TurnState.ANSWERED, attempt=replace(cleared, at=now), posts=[reply(TURN)])

    place.left_behind(work)


def test_figures_stand_beside_their_targets_and_missing_ones_are_no_data(place: Place) -> None:
    worked(place)
    told = place.run("metrics", "--days", "7")
    assert (told.status, told.complaint) == (0, "")
    assert "2: 1 passed, 1 sent back" in told.output
    assert "1 x       response_validator/praise_share: sent back" in told.output
    assert "5 tokens ($0.25) for drafts that were sent back" in told.output
    lines = {line.strip()[:38].strip(): line.split()[-6:] for line in told.output.splitlines()}
    assert lines["approvals without evidence"][-5:] == ["%", "(1/1)", "above", "no", "data"]
    assert lines["scope violations per delegation"][-4:] == ["no", "data", "no", "data"]
    assert " 0.0 %" not in told.output


def test_programs_get_json_with_null_for_no_data(place: Place) -> None:
    worked(place)
    measures = json.loads(place.run("metrics", "--json").output)
    assert measures["total"]["drafts"] == 2
    goals = {goal["goal"]: goal for goal in measures["total"]["goals"]}
    assert goals["empty_approvals"]["drafts"] == {"value": 1.0, "part": 1, "whole": 1}
    assert goals["empty_approvals"]["posted"]["value"] is None
    assert [agent["persona"] for agent in measures["agents"]] == ["lead"]


@pytest.mark.parametrize("days", ["0", "-1", "1.5", "many", "3651", "٣", "0000019999999999999999", "9" * 5000])
def test_a_period_that_is_none_is_refused(place: Place, days: str) -> None:
    told = place.run("metrics", "--days", days)
    assert (told.status, told.output) == (2, "")
    assert "whole number from 1 to 3650" in told.complaint or "expected one argument" in told.complaint


def test_before_the_service_ever_ran_there_are_no_figures_and_nothing_is_made(place: Place) -> None:
    told = place.run("metrics")
    assert (told.status, "does not exist" in told.complaint) == (1, True)
    assert not place.database.parent.exists()


@pytest.mark.parametrize("command", [("metrics",), ("reports",), ("reports", "accept", "1")])
def test_a_database_of_an_older_release_is_left_to_the_service(place: Place, command: tuple[str, ...]) -> None:
    worked(place)
    as_version_1(place.database)
    before = shape(place.database)
    told = place.run(*command)
    assert (told.status, told.output) == (1, "")
    assert "Start the service once: it brings the database up to date." in told.complaint
    assert shape(place.database) == before


@pytest.mark.parametrize("command", [("metrics",), ("reports",)])
def test_a_database_that_a_variable_names_and_that_is_missing_is_not_made(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    file = tmp_path / "none.sqlite"
    monkeypatch.setenv("MAMA_STORE__URL", f"sqlite:///{file}")
    told = place.run(*command)
    assert (told.status, "does not exist" in told.complaint) == (1, True)
    assert not file.exists()
