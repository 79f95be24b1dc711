"""The commands /items and /topics: the board of a conversation, for people."""

from collections.abc import Awaitable, Callable, Sequence

from mama_bot.boards import sentences as says
from mama_bot.boards.item_words import item_lines, item_row
from mama_bot.errors import BoardRefused
from mama_bot.model import (
    Answer,
    AuthorKind,
    BoardId,
    Command,
    Contributor,
    ItemId,
    ItemQuery,
    NewItem,
    TopicPost,
)
from mama_bot.protocols import Items, Topics
from mama_bot.wording import Language, plain_name, quotable

MOST_ITEMS = 20
MOST_TOPICS = 20
MOST_POSTS = 10
POST_CHARACTERS = 600
ALL_WORDS = frozenset({"all", "전체", "모두"})
READY_WORDS = frozenset({"ready", "준비"})
ADD_WORDS = frozenset({"add", "추가"})
CLOSE_WORDS = frozenset({"close", "닫기"})

BoardOf = Callable[[Command], Awaitable[BoardId]]


class BoardCommands:
    """Answers /items and /topics; `board_of` says whose board a command is about."""

    def __init__(self, *, topics: Topics, items: Items, board_of: BoardOf) -> None:
        self._topics = topics
        self._items = items
        self._board_of = board_of

    async def items(self, command: Command, language: Language) -> Answer:
        """List the items of a board, show one, add one, or close one with a reason."""
        board = await self._board_of(command)
        word, _, rest = command.argument.strip().partition(" ")
        deed, rest = word.casefold(), rest.strip()
        try:
            if deed in ADD_WORDS:
                new = NewItem(title=rest, by=_person(command))
                return await self._shown(board, (await self._items.create(board, new)).id, language)
            if deed in CLOSE_WORDS:
                name, _, reason = rest.partition(" ")
                closed = await self._items.close(board, _id_of(name), reason, _person(command))
                return await self._shown(board, closed.id, language)
        except BoardRefused as refusal:
            return Answer(text=refusal.to(language), done=False)
        if deed and deed not in ALL_WORDS | READY_WORDS:
            return await self._shown(board, _id_of(word), language)
        query = ItemQuery(ready=deed in READY_WORDS, closed_too=deed in ALL_WORDS, limit=MOST_ITEMS + 1)
        return await self._listed(board, query, language)

    async def topics(self, command: Command, language: Language) -> Answer:
        """List the topics of a board, or show what was posted last to one."""
        board, topic = await self._board_of(command), command.argument.strip()
        if not topic:
            topics = await self._topics.topics(board, limit=MOST_TOPICS)
            rows = [
                says.TOPIC_ROW.to(language, name=each.topic, n=each.posts, time=f"{each.last_at:%Y-%m-%d %H:%M}")
                for each in topics
            ]
            return Answer(text="\n".join(rows) or says.NO_TOPICS_HERE.to(language))
        try:
            posts = await self._topics.read(board, topic, limit=MOST_POSTS)
        except BoardRefused as refusal:
            return Answer(text=refusal.to(language), done=False)
        if not posts:
            return Answer(text=says.NOTHING_POSTED.to(language, name=topic), done=False)
        return Answer(text="\n".join(_post_lines(posts, language)))

    async def _listed(self, board: BoardId, query: ItemQuery, language: Language) -> Answer:
        listed = await self._items.query(board, query)
        if not listed:
            return Answer(text=says.NO_ITEMS_HERE.to(language))
        rows = [f"- {_plain(item_row(each, language))}" for each in listed[:MOST_ITEMS]]
        if len(listed) > MOST_ITEMS:
            rows.append(says.MORE_ITEMS.to(language))
        return Answer(text="\n".join(rows))

    async def _shown(self, board: BoardId, item_id: ItemId, language: Language) -> Answer:
        listed = await self._items.find(board, item_id)
        if listed is None:
            return Answer(text=says.ITEMS_USAGE.to(language, id=quotable(item_id, 40)), done=False)
        return Answer(text="\n".join(_plain(line) for line in item_lines(listed, language)))


def _post_lines(posts: Sequence[TopicPost], language: Language) -> Sequence[str]:
    """Return posts as rows: who, in which role, when, and the beginning of the words."""
    lines = []
    for post in posts:
        name = plain_name(post.by.name) + (f" ({plain_name(post.by.role)})" if post.by.role else "")
        facts = [f"**{name}**", f"{post.at:%m-%d %H:%M}", *([says.FROM_A_FILE.to(language)] if post.imported else [])]
        lines.append(f"- {' · '.join(facts)}: {quotable(post.text, POST_CHARACTERS)}")
    return lines


def _plain(line: str) -> str:
    """Return a line in which the words of others are no markup and mention nobody."""
    return quotable(line, POST_CHARACTERS)


def _id_of(word: str) -> ItemId:
    return ItemId(word.strip("`"))


def _person(command: Command) -> Contributor:
    return Contributor(name=command.author.name, kind=AuthorKind.PERSON)
