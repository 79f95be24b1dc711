"""What an agent sees of a conversation: what was said before, as much as fits."""

from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from mama_bot.model import (
    Attachment,
    Author,
    AuthorKind,
    Cleared,
    ContextEntry,
    Delegation,
    DelegationForm,
    MessageId,
    TurnKind,
    TurnState,
    Verdict,
)
from mama_bot.store import Store
from mama_bot.store.context import cut_in_the_middle, fit
from tests.store.making import ELSEWHERE, HERE, PERSON, START, message, reply, turn


async def texts(store: Store, before: int, max_entries: int = 30, max_characters: int = 1000) -> list[str]:
    window = await store.context.window(
        HERE, before=MessageId(f"m{before}"), max_entries=max_entries, max_characters=max_characters
    )
    return [entry.text for entry in window]


async def answered(store: Store, number: int, text: str) -> None:
    answer = turn(message(number))
    await store.turns.add_turns([answer])
    await store.turns.finish(answer, TurnState.ANSWERED, posts=[reply(answer, text)])


async def test_the_window_leaves_out_the_message_itself_and_later_ones_of_people(store: Store) -> None:
    for number in (1, 2, 3):
        await store.inbox.accept(message(number, f"question {number}"))
    await answered(store, 1, "answer 1")
    assert await texts(store, before=1) == ["answer 1"]
    assert await texts(store, before=2) == ["question 1", "answer 1"]
    assert await texts(store, before=3) == ["question 1", "answer 1", "question 2"]


async def test_an_agent_that_remembers_gets_what_came_after_its_own_last_word(store: Store) -> None:
    await store.inbox.accept(message(1, "one"))
    for number, persona in ((1, "lead"), (2, "developer")):
        said = turn(message(1), f"t{number}", persona)
        await store.turns.add_turns([said])
        await store.turns.finish(said, TurnState.ANSWERED, posts=[reply(said, f"by {persona}")])

    async def unread(persona: str | None) -> list[str]:
        window = await store.context.window(HERE, before=None, max_entries=9, max_characters=99, unread_by=persona)
        return [entry.text for entry in window]

    assert await unread(None) == ["one", "by lead", "by developer"]
    assert await unread("lead") == ["by developer"]
    assert await unread("developer") == []
    assert await unread("reviewer") == ["one", "by lead", "by developer"]
    assert await unread("u") == ["one", "by lead", "by developer"]


async def test_words_of_a_part_name_it_and_another_session_of_the_persona_reads_them(store: Store) -> None:
    await store.inbox.accept(message(1, "one"))
    asked = Delegation(sender="lead", recipient="developer", task="Build alpha", form=DelegationForm.TOOL)
    here = turn(message(1), "t1", "developer")
    apart = replace(turn(message(1), "t2", "developer"), delegation=asked, kind=TurnKind.DELEGATION)
    apart = replace(apart, work_tree=apart.id)
    review = replace(turn(message(1), "t3", "reviewer"), kind=TurnKind.REVIEW, parent=apart.id, work_tree=apart.id)
    for said in (here, apart, review):
        await store.turns.add_turns([said])
        await store.turns.finish(said, TurnState.ANSWERED, posts=[reply(said, f"by {said.id}", f"{said.id}.reply")])

    async def unread(session: str | None) -> list[tuple[str, str]]:
        window = await store.context.window(HERE, before=None, max_entries=9, max_characters=99, unread_by=session)
        return [(entry.text, entry.part) for entry in window]

    of_alpha = [("by t2", "Build alpha"), ("by t3", "Build alpha")]
    assert await unread(None) == [("one", ""), ("by t1", ""), *of_alpha]
    assert await unread(here.session_name) == of_alpha
    assert await unread(apart.session_name) == of_alpha[1:]
    told = await store.context.told(HERE, before=None, max_tokens=1_000, most_full=0, long_characters=0)
    whole = told.context
    assert [(entry.text, entry.part) for entry in whole.entries] == await unread(None)


async def test_agents_read_what_a_judgement_left_of_a_reply(store: Store) -> None:
    await store.inbox.accept(message(1, "one"))
    answer = turn(message(1))
    judged = reply(answer, "Great! The lock moved.")
    left = replace(judged.judgement, outcome=Cleared(for_agents="The lock moved."))
    await store.turns.add_turns([answer])
    await store.turns.finish(answer, TurnState.ANSWERED, posts=[replace(judged, judgement=left)])
    assert [
        entry.text for entry in await store.context.window(HERE, before=None, max_entries=9, max_characters=99)
    ] == [
        "one",
        "The lock moved.",
    ]
    (entry,) = await store.outbox.pending(HERE)
    assert entry.post.body == "Great! The lock moved."


async def test_each_conversation_has_its_own_context(store: Store) -> None:
    await store.inbox.accept(message(1, key=ELSEWHERE))
    await store.inbox.accept(message(2))
    assert await texts(store, before=2) == []


async def test_entries_say_who_said_it_and_how_it_stands(store: Store) -> None:
    first = message(1, "봐 주세요")
    await store.inbox.accept(first)
    await answered(store, 1, "봤습니다")
    await store.inbox.accept(message(2))
    asked, said = await store.context.window(HERE, before=MessageId("m2"), max_entries=9, max_characters=99)
    assert asked == ContextEntry(author=first.author, text="봐 주세요", at=START)
    assert said.author == Author(id="lead", name="Lead", kind=AuthorKind.AGENT)
    assert said.verdict is Verdict.PASSED


async def test_the_window_keeps_the_newest(store: Store) -> None:
    for number in (1, 2, 3):
        await store.inbox.accept(message(number, str(number) * 10))
    assert await texts(store, before=3, max_entries=1) == ["2" * 10]
    assert await texts(store, before=3, max_characters=19) == ["2" * 10]
    assert await texts(store, before=3, max_characters=20) == ["1" * 10, "2" * 10]


async def test_an_entry_that_fits_no_window_is_cut_in_the_middle(store: Store) -> None:
    await store.inbox.accept(message(1, "a" * 100_000 + "z" * 100_000))
    await store.inbox.accept(message(2))
    (cut,) = await texts(store, before=2, max_characters=500)
    assert len(cut) == 500
    assert cut.startswith("aaa")
    assert cut.endswith("zzz")
    assert "left out" in cut


ENTRIES = st.lists(
    st.text(max_size=60).map(lambda text: ContextEntry(author=Author(id="u", name="U"), text=text, at=START))
)


@given(entries=ENTRIES, max_characters=st.integers(0, 120))
def test_a_window_never_exceeds_its_budget_and_is_the_newest_part(
    entries: list[ContextEntry], max_characters: int
) -> None:
    window = fit(reversed(entries), max_characters)
    assert sum(len(entry.text) for entry in window) <= max_characters
    whole = [entry for entry in window if entry in entries]
    assert len(whole) >= len(window) - 1
    assert list(window[1:]) == entries[len(entries) - len(window) + 1 :]
    if sum(len(entry.text) for entry in entries) <= max_characters:
        assert list(window) == entries


@given(text=st.text(max_size=400), size=st.integers(0, 500))
def test_cutting_keeps_to_the_size_and_leaves_short_texts_alone(text: str, size: int) -> None:
    cut = cut_in_the_middle(text, size)
    assert len(cut) == min(len(text), size)
    if len(text) <= size:
        assert cut == text


async def test_files_and_long_texts_of_earlier_messages_are_found_again(store: Store) -> None:
    file = Attachment(name="a.csv", media_type="text/csv", size=3, path=Path("/uploads/a.csv"))
    brought = replace(message(1, "see this"), attachments=(file,))
    long, elsewhere = message(2, "긴 글 " * 100), message(4, "x" * 500, key=ELSEWHERE)
    asked = replace(message(5, "y" * 500), attachments=(file,))
    for number in (brought, long, elsewhere, asked):
        await store.inbox.accept(number)

    async def found_again(most: int = 9) -> list[MessageId]:
        told = await store.context.told(HERE, before=asked.id, max_tokens=1_000, most_full=most, long_characters=200)
        messages = told.full
        return [earlier.id for earlier in messages]

    assert await found_again() == [brought.id, long.id]
    assert await found_again(most=1) == [long.id], "the newest"
    await store.inbox.withdraw(HERE, long.id)
    assert await found_again() == [brought.id]
    await store.context.begin_anew(HERE, by=PERSON, at=START)
    assert await found_again() == []
