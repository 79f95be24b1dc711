"""What an agent is shown of a long conversation fits its budget, and its beginning stays while new entries come."""

from itertools import pairwise, takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.config import ContextSettings, QueueSettings
from mama_bot.model import AuthorKind, MessageId, SharedContext, TurnState
from mama_bot.store import Store
from mama_bot.store.context_window import first_of_window, longest_entry, tokens_in_bytes
from mama_bot.store.database import Database
from mama_bot.turns.context_words import context_text
from tests.store.making import HERE, PERSON, TickingClock, message, reply, turn

BUDGET = 1_000
TURNS = 50
USUAL_BUDGET = ContextSettings().max_tokens
WORDS = (
    "`rates.py` holds the rates now; unittest ran 8 tests. ",
    "환율을 `rates.py`에 넣고 테스트 8개를 실행했습니다. ",
)


@pytest.fixture
def store(database: Database, clock: TickingClock) -> Store:
    """A store in whose queue a long conversation fits."""
    return Store(database=database, clock=clock, queue=QueueSettings(limit=1_000, per_conversation=1_000))


@given(sizes=st.lists(st.integers(0, 300), min_size=1), budget=st.integers(1, 400))
def test_a_window_fits_holds_the_last_entry_and_does_not_move_within_half_of_its_size(
    sizes: list[int], budget: int
) -> None:
    first, longest = first_of_window(sizes, budget), longest_entry(budget)
    capped = [min(size, longest) for size in sizes]
    assert first < len(sizes)
    assert sum(capped[first:]) <= budget
    if first:  # no more is left out than a step, and the entry that the step would cut
        assert sum(capped[first:]) > budget - 2 * longest
    assert first_of_window(sizes[:-1] or sizes, budget) <= first
    room = budget - sum(capped[first:])
    if first and room >= 1:
        assert first_of_window([*sizes, 0], budget) == first


async def exchange(store: Store, number: int, text: str) -> None:
    said = message(number, f"{number}번째 질문")
    await store.inbox.accept(said)
    answer = turn(said)
    await store.turns.add_turns([answer])
    await store.turns.finish(answer, TurnState.ANSWERED, posts=[reply(answer, text)])


async def shown(store: Store, number: int, budget: int = BUDGET) -> SharedContext:
    told = await store.context.told(
        HERE, before=MessageId(f"m{number}"), max_tokens=budget, most_full=0, long_characters=0
    )
    return told.context


def tokens(context: SharedContext) -> int:
    return sum(tokens_in_bytes(len(entry.text.encode())) for entry in (*context.entries, *context.earlier))


async def test_nearly_all_of_what_a_turn_was_shown_is_how_the_next_begins(store: Store) -> None:
    """`-s` prints the figure of the documents: the share of a prompt's context that the next one begins with."""
    texts, sliding = [], []
    for number in range(1, TURNS + 1):
        await store.inbox.accept(message(number, f"{number}번째 질문"))
        context = await shown(store, number, USUAL_BUDGET)
        assert tokens(context) <= USUAL_BUDGET * 5 // 4
        texts.append(context_text(context).removesuffix("\n</conversation>"))
        moving = await store.context.window(
            HERE, before=MessageId(f"m{number}"), max_entries=200, max_characters=3 * USUAL_BUDGET
        )
        sliding.append(context_text(SharedContext(entries=tuple(moving))).removesuffix("\n</conversation>"))
        answer = turn(message(number))
        await store.turns.add_turns([answer])
        await store.turns.finish(
            answer, TurnState.ANSWERED, posts=[reply(answer, WORDS[number % 2] * (8 + number % 9))]
        )
    stable, moved = share_kept(texts), share_kept(sliding)
    print(f"kept: {stable:.1%} of a window in steps, {moved:.1%} of a sliding one")  # noqa: T201
    assert stable > 0.85
    assert stable > moved + 0.2


def share_kept(texts: list[str]) -> float:
    """The share of the characters of all texts with which the text after each begins."""
    kept = 0
    for text, after in pairwise(texts):
        kept += sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(text, after, strict=False)))
    return kept / sum(map(len, texts[:-1]))


async def test_what_left_the_window_is_told_by_its_beginning_in_order_before_the_rest(store: Store) -> None:
    for number in range(1, 21):
        await exchange(store, number, f"answer {number} " + "x" * 400)
    await store.inbox.accept(message(21))
    context = await shown(store, 21)
    assert context.earlier[-1].text != context.entries[0].text
    assert all(len(entry.text) <= 160 for entry in context.earlier)
    said = [
        entry.text.split()[0]
        for entry in (*context.earlier, *context.entries)
        if entry.author.kind is AuthorKind.PERSON
    ]
    assert said == [f"{number}번째" for number in range(21 - len(said), 21)]
    assert context.left_out + len(context.earlier) + len(context.entries) == 40
    text = context_text(context)
    assert text.index("[earlier; of each only how it began]") < text.index("[from here on whole]")
    assert text.count(f"[person] {PERSON.name}: ") == len(said)


async def test_a_single_long_entry_leaves_out_its_middle(store: Store) -> None:
    await exchange(store, 1, "begins " + "가" * 9_000 + " ends")
    await store.inbox.accept(message(2))
    context = await shown(store, 2)
    (text,) = (entry.text for entry in context.entries if entry.author.kind is AuthorKind.AGENT)
    assert (text.startswith("begins"), text.endswith("ends"), "left out" in text) == (True, True, True)
    assert tokens(context) <= BUDGET


async def test_a_short_conversation_is_shown_whole_and_begins_anew(store: Store) -> None:
    await exchange(store, 1, "8 tests, OK.")
    await store.inbox.accept(message(2))
    context = await shown(store, 2)
    assert [entry.text for entry in context.entries] == ["1번째 질문", "8 tests, OK."]
    assert (context.earlier, context.left_out) == ((), 0)
    await store.context.begin_anew(HERE, by=PERSON, at=message(2).received_at)
    assert await shown(store, 2) == SharedContext()
