"""/items and /topics: what people see of a board, and what they do with its items."""

from mama_bot.intake.board_answers import BoardCommands
from mama_bot.model import Answer, Author, BoardId, Command, CommandName, NewItem, NewTopicPost, Origin
from mama_bot.store import Store
from mama_bot.store.database import Database
from mama_bot.wording import Language
from tests.boards.making import BOARD, DEVELOPER
from tests.store.conftest import clock, database, store, tables_url
from tests.store.making import HERE

__all__ = ["Database", "clock", "database", "store", "tables_url"]
KIM = Author(id="u1", name="Kim")


async def _board(command: Command) -> BoardId:
    return BOARD


async def asked(store: Store, argument: str, language: Language = Language.ENGLISH, *, topics: bool = False) -> Answer:
    commands = BoardCommands(topics=store.topics, items=store.items, board_of=_board)
    name = CommandName.TOPICS if topics else CommandName.ITEMS
    command = Command(name=name, key=HERE, author=KIM, origin=Origin(), argument=argument)
    return await (commands.topics if topics else commands.items)(command, language)


async def test_people_add_items_see_them_and_close_them_with_a_reason(store: Store) -> None:
    assert (await asked(store, "")).text == "There is nothing to do here that anybody wrote down."
    added = await asked(store, "추가 환율을 찾는다", Language.KOREAN)
    (item,) = await store.items.all_items(BOARD)
    assert added.text.splitlines()[:2] == [f"○ {item.id} P2 task 환율을 찾는다", "상태: 열림"]
    assert (await asked(store, "")).text == f"- ○ {item.id} P2 task 환율을 찾는다"
    refusal = await asked(store, f"close {item.id}")
    assert (refusal.done, refusal.text) == (False, "Closing an item needs a reason.")
    closed = await asked(store, f"close `{item.id}` in rates.py")
    assert "Closed: in rates.py" in closed.text
    assert (await store.items.all_items(BOARD))[0].updated_by is not None
    assert (await asked(store, "ready")).text.startswith("There is nothing to do")
    assert (await asked(store, "전체")).text.startswith(f"- ● {item.id}")
    unknown = await asked(store, "mb-none")
    assert (unknown.done, unknown.text.startswith("There is no item mb-none here.")) == (False, True)


async def test_a_long_list_is_cut_and_says_so(store: Store) -> None:
    for number in range(22):
        await store.items.create(BOARD, NewItem(title=f"item {number}", by=DEVELOPER))
    lines = (await asked(store, "")).text.splitlines()
    assert (len(lines), lines[-1]) == (21, "There are more: `mama-bot item list` shows all.")


async def test_posts_are_shown_with_who_wrote_them_and_nothing_in_them_mentions_anybody(store: Store) -> None:
    await store.topics.add(BOARD, NewTopicPost(topic="deploy", text="@everyone `a`\n남은 것: 2개", by=DEVELOPER))
    assert (await asked(store, "", topics=True)).text.startswith("- `deploy` · 1 post · 2026-01-02 03:04")
    shown = (await asked(store, "deploy", topics=True)).text
    assert shown == "- **developer (worker)** · 01-02 03:04: ?everyone 'a' 남은 것: 2개"
    assert not (await asked(store, "other", topics=True)).done
    assert not (await asked(store, "two words", topics=True)).done
