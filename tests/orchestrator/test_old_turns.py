"""A turn that an earlier release stored, byte by byte, is carried on as that release would have done it."""

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

from mama_bot.app.configuration import read_configuration
from mama_bot.model import Checklist, InboundMessage, Turn, TurnId, TurnState
from mama_bot.orchestrator.beginnings import TurnBeginnings
from mama_bot.repositories.changes import GitChanges
from mama_bot.store import Store
from mama_bot.store.codec import TURN
from mama_bot.turns import notices
from mama_bot.wording import Language
from tests.end_to_end.team import write_configuration
from tests.orchestrator.making import made_team, workspaces_of
from tests.store.making import message

BODY = (Path(__file__).parents[1] / "data" / "stored" / "turn.json").read_text(encoding="utf-8")
ASKED = "결제 버그를 고쳐 줘"


async def stored_before(store: Store, file: Path, asked: str) -> InboundMessage:
    """Return a message with the turn of `turn.json` as it was stored."""
    of = message(1, asked)
    await store.inbox.accept(of)
    await store.turns.add_turns([TURN.load(BODY)])
    connection = sqlite3.connect(file)
    try:
        connection.execute("UPDATE turns SET body = ?", (BODY,))
        connection.commit()
    finally:
        connection.close()
    return of


def test_the_body_is_of_before() -> None:
    body = json.loads(BODY)
    assert "language" not in body
    assert "goes_on" not in body["delegation"]


async def test_what_is_said_about_it_is_said_in_the_language_of_its_message(store: Store, tmp_path: Path) -> None:
    of = await stored_before(store, tmp_path / "own.sqlite", ASKED)
    (stored,) = (await store.turns.load(of.id)).turns
    (shown,) = (await store.history.view(of.key, 10)).turns
    assert (stored.turn.language, shown.turn.language) == (Language.KOREAN, Language.KOREAN)
    assert "멈" in notices.stopped(stored.turn, "Kim").text


async def test_of_an_english_message_it_is_english(store: Store, tmp_path: Path) -> None:
    of = await stored_before(store, tmp_path / "own.sqlite", "Fix the payment bug")
    (stored,) = (await store.turns.load(of.id)).turns
    assert stored.turn.language is Language.ENGLISH


async def test_a_delegation_that_only_goes_on_has_the_checklist_of_its_work(store: Store, tmp_path: Path) -> None:
    of = await stored_before(store, tmp_path / "own.sqlite", ASKED)
    assert TURN.load(BODY).delegation is not None
    left = Checklist(task="fix", asked="- a\n- b", done=("a",), open_items=1)
    await finished(store, replace(TURN.load(BODY), id=TurnId("t0")), left)
    configuration = read_configuration(write_configuration(tmp_path), environment={"PATH": "/usr/bin:/bin"})
    beginnings = TurnBeginnings(
        turns=store.turns,
        workspaces=workspaces_of(configuration),
        trees=GitChanges(workspace_of=lambda _: tmp_path),
    )
    exchange = await store.turns.load(of.id)
    (stored,) = (stored for stored in exchange.turns if stored.state is TurnState.PENDING)
    begun = await beginnings.begun(stored, exchange, made_team(configuration, store))
    assert begun.turn.checklist == left


async def finished(store: Store, turn: Turn, checklist: Checklist) -> None:
    await store.turns.add_turns([turn])
    await store.turns.finish(turn, TurnState.ANSWERED, checklist=checklist)
