"""`mama-bot turns`: what was given up is listed with its reason, asked or posted again, or dropped."""

import json

from mama_bot.model import MessageId, NoticeKind, Repeat, TurnState
from mama_bot.store import Store
from mama_bot.turns.notices import of_message, of_turn
from tests.commands.places import Place
from tests.store.making import attempt, message, reply, turn

ASKED, OTHER = message(1, "0으로 나누기를 고쳐 줘"), message(2, "Look at the log")


async def left(store: Store) -> None:
    """One message without an answer, one reply that no platform took, one line that arrived."""
    failed, answered = turn(ASKED), turn(OTHER)
    for asked, of in ((ASKED, failed), (OTHER, answered)):
        await store.inbox.accept(asked)
        await store.turns.begin_exchange(asked.id, [of])
    lost = of_turn(failed, NoticeKind.FAILED, "The agent did not answer: the process ended.")
    await store.turns.finish(failed, TurnState.FAILED, posts=[lost])
    given = reply(answered, 'The log says "notice":"failed" twice.')
    await store.turns.finish(
        answered,
        TurnState.ANSWERED,
        attempt=attempt(answered, text=given.text, outcome=given.judgement.outcome),
        posts=[given],
    )
    await store.outbox.mark_failed(given.id, "no answer within 60 s")
    await store.outbox.add(of_message(OTHER, "arrived", NoticeKind.DEED, "Done."))


def test_what_was_given_up_is_listed_shown_and_asked_or_posted_again(place: Place) -> None:
    place.left_behind(left)
    answer, post = json.loads(place.run("turns", "--json").output)
    assert (answer["kind"], answer["message"], post["kind"]) == ("answer", ASKED.id, "post")
    assert post["reason"] == "no answer within 60 s"
    listed = place.run("turns", "--language", "ko").output
    assert "답 없음" in listed
    assert "게시하지 못함" in listed
    shown = place.run("turns", "show", str(answer["number"])).output
    assert ASKED.text in shown
    assert "failed" in shown
    for letter in (answer, post):
        assert place.run("turns", "retry", str(letter["number"])).status == 0
    assert json.loads(place.run("turns", "--json").output) == []

    async def queued(store: Store) -> None:
        pending = await store.outbox.pending(OTHER.key)
        assert post["post"] in [entry.post.id for entry in pending]
        again = (await store.turns.load(MessageId(f"{ASKED.id}+1"))).message
        assert (again.text, again.repeat) == (ASKED.text, Repeat(of=ASKED.id))
        assert await store.inbox.unfinished(again.key, again.id)

    place.left_behind(queued)


def test_what_is_dropped_is_listed_no_more_and_stays_in_its_conversation(place: Place) -> None:
    place.left_behind(left)
    answer, post = json.loads(place.run("turns", "--json").output)
    assert place.run("turns", "drop", str(answer["number"])).status == 0
    assert [letter["number"] for letter in json.loads(place.run("turns", "--json").output)] == [post["number"]]

    async def kept(store: Store) -> None:
        view = await store.history.view(ASKED.key, 10)
        assert answer["post"] in [entry.post.id for entry in view.posts]

    place.left_behind(kept)


def test_a_wrong_use_is_one_sentence(place: Place) -> None:
    assert place.run("turns").output == "Nothing was given up.\n"
    for arguments, complaint in ((("list", "7"), "takes no number"), (("retry",), "takes a number")):
        told = place.run("turns", *arguments)
        assert (told.status, complaint in told.complaint) == (2, True)
    place.left_behind(left)
    told = place.run("turns", "show", "99")
    assert (told.status, "has the number 99" in told.complaint) == (2, True)
