"""`mama-bot receipt ID` prints what stands behind a reply."""

import json

from mama_bot.model import TurnState
from mama_bot.store import Store
from tests.commands.places import Place
from tests.store.making import message, reply, turn
from tests.store.receipts import TEXT, claiming

MESSAGE = message(1)
TURN = turn(MESSAGE)


def posted(place: Place) -> None:
    async def work(store: Store) -> None:
        await store.inbox.accept(MESSAGE)
        await store.turns.add_turns([TURN])
        await store.turns.finish(TURN, TurnState.ANSWERED, attempt=claiming(TURN), posts=[reply(TURN, TEXT)])

    place.left_behind(work)


def test_it_names_claims_commands_figures_commit_and_hashes(place: Place) -> None:
    posted(place)
    told = place.run("receipt", "1")
    assert told.status == 0
    for part in (
        "confirmed: 'All 45 tests pass.'",
        "not shown (no such run): 'Pushed to origin.'",
        "PASS tests, run by the service: python -m unittest -v",
        "call call-2 by lead: pytest -q",
        "exit 0",
        "took 3.2 s",
        "45 passed, 2 skipped",
        "commit 3fa2c1d00000 with changes",
        "sha256 bbbbbbbbbbbb",
        "| 45 passed in 3.10s",
    ):
        assert part in told.output
    assert "\x1b" not in told.output


def test_it_is_said_in_the_language_of_the_reader(place: Place) -> None:
    posted(place)
    told = place.run("receipt", "1", "--language", "ko").output
    for part in ("확인됨: 'All 45 tests pass.'", "기록에 없음: 'Pushed to origin.'", "종료 0", "45개 통과, 2개 건너뜀"):
        assert part in told


def test_for_programs_it_is_json(place: Place) -> None:
    posted(place)
    told = json.loads(place.run("receipt", TURN.id, "--json").output)
    assert (told["number"], told["claims"][0]["state"]) == (1, "confirmed")


def test_a_wrong_id_is_said_in_one_line(place: Place) -> None:
    posted(place)
    told = place.run("receipt", "77")
    assert (told.status, told.output) == (2, "")
    assert told.complaint.startswith("mama-bot: There is no receipt '77'.")
    assert place.run("receipt").status == 2
