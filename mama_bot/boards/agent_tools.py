"""The tools with which agents use the board of the repository they work in: posts, and work items."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from mama_bot.boards.agent_words import items_told, posts_told, topics_told
from mama_bot.boards.item_steps import MOST_TEXT, MOST_TITLE
from mama_bot.boards.topic_steps import MOST_NAME, MOST_POST
from mama_bot.errors import BoardRefused
from mama_bot.model import (
    MOST_PRIORITY,
    USUAL_PRIORITY,
    AuthorKind,
    BoardId,
    Cleared,
    Contributor,
    ConversationKey,
    Dependency,
    DependencyKind,
    ItemChange,
    ItemId,
    ItemQuery,
    ItemStatus,
    NewItem,
    NewTopicPost,
    SentBack,
    TopicPostId,
    Turn,
    TurnKind,
    Verdict,
    Withheld,
)
from mama_bot.protocols import Items, Topics
from mama_bot.team_tools import Caller, RegisteredTool, ToolRefused
from mama_bot.tool_names import ITEM_CLOSE, ITEM_CREATE, ITEM_QUERY, ITEM_UPDATE, POST, READ, REPLY

NOT_IN_REVIEWS = (
    "In a review you go by the person's words, the changes and what you run yourself, not by what others say of the "
    "work: nothing was read or changed."
)
MOST_READ = 100

BoardOf = Callable[[ConversationKey], Awaitable[BoardId]]
Name = Annotated[str, Field(min_length=1, max_length=MOST_NAME)]
Text = Annotated[str, Field(min_length=1, max_length=MOST_POST)]
Id = Annotated[str, Field(min_length=1, max_length=100)]
Label = Annotated[str, Field(max_length=60)]
Value = Annotated[str, Field(max_length=1_000)]
Ids = Annotated[tuple[Id, ...], Field(max_length=50)]


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class PostArguments(_Arguments):
    """What `post` takes."""

    topic: Annotated[Name, Field(description="one word, such as deploy or review:rates")]
    text: Annotated[Text, Field(description="results and facts; it is judged like a reply to another agent")]
    metadata: Annotated[dict[Label, Value], Field(max_length=20)] = {}


class ReplyArguments(_Arguments):
    """What `reply` takes."""

    id: Annotated[Id, Field(description="the post that you answer")]
    text: Text


class ReadArguments(_Arguments):
    """What `read` takes."""

    topic: Annotated[str, Field(max_length=MOST_NAME, description='"" lists the topics')] = ""
    since: Annotated[str, Field(max_length=100, description="only what came after the post with this id")] = ""
    limit: Annotated[int, Field(ge=1, le=MOST_READ)] = 30


class _ItemFields(_Arguments):
    description: Annotated[str | None, Field(max_length=MOST_TEXT)] = None
    type: Annotated[str | None, Field(max_length=40, description="task, bug, feature, chore, epic")] = None
    priority: Annotated[int | None, Field(ge=0, le=MOST_PRIORITY, description="0 is first, 2 usual")] = None
    assignee: Annotated[str | None, Field(max_length=100)] = None
    labels: Annotated[tuple[Label, ...] | None, Field(max_length=20)] = None
    blocked_by: Annotated[Ids, Field(description="items that it waits for")] = ()
    parent: Annotated[str, Field(max_length=100, description="the item that it is a part of")] = ""

    @property
    def dependencies(self) -> tuple[Dependency, ...]:
        blockers = tuple(Dependency(on=ItemId(each)) for each in self.blocked_by)
        parent = Dependency(on=ItemId(self.parent), kind=DependencyKind.PARENT_CHILD)
        return (*blockers, parent) if self.parent else blockers

    @property
    def words(self) -> tuple[str, ...]:
        """All that others will read of it, but the title."""
        return (self.description or "", self.assignee or "", ", ".join(self.labels or ()))


class CreateArguments(_ItemFields):
    """What `item_create` takes."""

    title: Annotated[str, Field(min_length=1, max_length=MOST_TITLE)]


class UpdateArguments(_ItemFields):
    """What `item_update` takes: what is left out stays as it is."""

    id: Id
    title: Annotated[str | None, Field(max_length=MOST_TITLE)] = None
    status: Annotated[ItemStatus | None, Field(description="to close one, call item_close")] = None
    unblock: Annotated[Ids, Field(description="items that it does not wait for any more")] = ()


class QueryArguments(_Arguments):
    """What `item_query` takes: all that is not closed, where nothing is said."""

    id: Annotated[str, Field(max_length=100, description="one item with all of its description")] = ""
    ready: Annotated[bool, Field(description="only open ones that nothing blocks")] = False
    status: ItemStatus | None = None
    type: Annotated[str | None, Field(max_length=40)] = None
    assignee: Annotated[str | None, Field(max_length=100)] = None
    limit: Annotated[int, Field(ge=1, le=MOST_READ)] = 30


class CloseArguments(_Arguments):
    """What `item_close` takes."""

    id: Id
    reason: Annotated[Text, Field(description="what was done, or why it is not: compared with your calls")]


def board_tools(topics: Topics, items: Items, board_of: BoardOf) -> Sequence[RegisteredTool[Any]]:
    """Return the tools; `board_of` says which board a conversation works with."""
    posting, keeping = _TopicTools(topics, board_of), _ItemTools(items, board_of)
    return (
        RegisteredTool(
            name=POST,
            description="Post to a topic on the board of this repository, where agents of other turns read it.",
            arguments=PostArguments,
            run=posting.post,
        ),
        RegisteredTool(
            name=REPLY, description="Answer a post, in its topic.", arguments=ReplyArguments, run=posting.reply
        ),
        RegisteredTool(
            name=READ,
            description="Read what was posted to a topic, the newest or what came since a post; or list the topics.",
            arguments=ReadArguments,
            run=posting.read,
            refusal_in=_refused_to_reviewers,
            side_by_side=True,
        ),
        RegisteredTool(
            name=ITEM_CREATE,
            description="Write down work that outlives this turn as an item of this repository's board.",
            arguments=CreateArguments,
            run=keeping.create,
        ),
        RegisteredTool(
            name=ITEM_UPDATE,
            description="Change an item: take it in hand (in_progress), assign it, let it wait for another.",
            arguments=UpdateArguments,
            run=keeping.update,
            refusal_in=_refused_to_reviewers,
        ),
        RegisteredTool(
            name=ITEM_QUERY,
            description="List items, the most urgent first, with what they wait for.",
            arguments=QueryArguments,
            run=keeping.query,
            refusal_in=_refused_to_reviewers,
            side_by_side=True,
        ),
        RegisteredTool(
            name=ITEM_CLOSE,
            description="Close an item, with the reason.",
            arguments=CloseArguments,
            run=keeping.close,
            refusal_in=_refused_to_reviewers,
        ),
    )


class _TopicTools:
    def __init__(self, topics: Topics, board_of: BoardOf) -> None:
        self._topics = topics
        self._board_of = board_of

    async def post(self, arguments: PostArguments, caller: Caller) -> str:
        return await self._posted(arguments.topic, arguments.text, arguments.metadata, None, caller)

    async def reply(self, arguments: ReplyArguments, caller: Caller) -> str:
        board = await self._board_of(caller.turn.key)
        answered = await self._topics.find(board, TopicPostId(arguments.id))
        if answered is None:
            raise ToolRefused(f"There is no post {arguments.id} on this board: nothing was posted.")
        return await self._posted(answered.topic, arguments.text, {}, answered.id, caller)

    async def read(self, arguments: ReadArguments, caller: Caller) -> str:
        board = await self._board_of(caller.turn.key)
        try:
            if not arguments.topic:
                return topics_told(await self._topics.topics(board, limit=arguments.limit))
            since = TopicPostId(arguments.since) or None
            posts = await self._topics.read(board, arguments.topic, since=since, limit=arguments.limit)
        except BoardRefused as refusal:
            raise ToolRefused(str(refusal)) from refusal
        return posts_told(posts)

    async def _posted(
        self, topic: str, text: str, metadata: dict[str, str], in_reply_to: TopicPostId | None, caller: Caller
    ) -> str:
        verdict = await _verdict(_words(text, *(f"{name}: {value}" for name, value in metadata.items())), caller)
        new = NewTopicPost(
            topic=caller.redacted(topic.strip()),
            text=caller.redacted(text),
            by=contributor(caller),
            in_reply_to=in_reply_to,
            metadata={caller.redacted(name): caller.redacted(value) for name, value in metadata.items()},
            turn_id=caller.turn.id,
            verdict=verdict,
        )
        try:
            post = await self._topics.add(await self._board_of(caller.turn.key), new)
        except BoardRefused as refusal:
            raise ToolRefused(str(refusal)) from refusal
        return f"Posted to {post.topic} as {post.id}."


class _ItemTools:
    def __init__(self, items: Items, board_of: BoardOf) -> None:
        self._items = items
        self._board_of = board_of

    async def create(self, arguments: CreateArguments, caller: Caller) -> str:
        await _verdict(_words(arguments.title, *arguments.words), caller)
        new = NewItem(
            title=caller.redacted(arguments.title),
            by=contributor(caller),
            description=caller.redacted(arguments.description or ""),
            kind=caller.redacted(arguments.type or "task"),
            priority=USUAL_PRIORITY if arguments.priority is None else arguments.priority,
            assignee=caller.redacted(arguments.assignee or ""),
            labels=_redacted(arguments.labels, caller) or (),
            dependencies=arguments.dependencies,
            turn_id=caller.turn.id,
        )
        try:
            item = await self._items.create(await self._board_of(caller.turn.key), new)
        except BoardRefused as refusal:
            raise ToolRefused(str(refusal)) from refusal
        return f"Created item {item.id}."

    async def update(self, arguments: UpdateArguments, caller: Caller) -> str:
        if arguments.status is ItemStatus.CLOSED:
            raise ToolRefused("To close an item call item_close, with the reason: nothing was changed.")
        await _verdict(_words(arguments.title, *arguments.words), caller)
        change = ItemChange(
            title=None if arguments.title is None else caller.redacted(arguments.title),
            description=None if arguments.description is None else caller.redacted(arguments.description),
            status=arguments.status,
            kind=None if arguments.type is None else caller.redacted(arguments.type),
            priority=arguments.priority,
            assignee=None if arguments.assignee is None else caller.redacted(arguments.assignee),
            labels=_redacted(arguments.labels, caller),
            adds=arguments.dependencies,
            removes=tuple(ItemId(each) for each in arguments.unblock),
        )
        board = await self._board_of(caller.turn.key)
        try:
            item = await self._items.update(board, ItemId(arguments.id), change, contributor(caller))
        except BoardRefused as refusal:
            raise ToolRefused(str(refusal)) from refusal
        return f"Item {item.id} is {item.status.value} now."

    async def query(self, arguments: QueryArguments, caller: Caller) -> str:
        board = await self._board_of(caller.turn.key)
        if arguments.id:
            listed = await self._items.find(board, ItemId(arguments.id))
            if listed is None:
                raise ToolRefused(f"There is no item {arguments.id} on this board.")
            return items_told([listed], whole=True)
        query = ItemQuery(
            status=arguments.status,
            kind=arguments.type,
            assignee=arguments.assignee,
            ready=arguments.ready,
            limit=arguments.limit,
        )
        return items_told(await self._items.query(board, query))

    async def close(self, arguments: CloseArguments, caller: Caller) -> str:
        await _verdict(arguments.reason, caller)
        board, reason = await self._board_of(caller.turn.key), caller.redacted(arguments.reason)
        try:
            item = await self._items.close(board, ItemId(arguments.id), reason, contributor(caller))
        except BoardRefused as refusal:
            raise ToolRefused(str(refusal)) from refusal
        return f"Item {item.id} is closed."


def contributor(caller: Caller) -> Contributor:
    """Return who writes: the persona, with its model and its role in this turn."""
    persona = caller.persona
    role = "reviewer" if caller.turn.kind is TurnKind.REVIEW else persona.tier.value
    return Contributor(name=persona.name, kind=AuthorKind.AGENT, model=persona.model or "", role=role)


async def _verdict(words: str, caller: Caller) -> Verdict:
    """Return the chain's verdict on words that other agents will read; raises ToolRefused with its feedback."""
    if not words:
        return Verdict.PASSED
    outcome = await caller.judged(words)
    match outcome:
        case Cleared():
            return outcome.verdict
        case SentBack():
            raise ToolRefused(f"[SENT BACK by {outcome.stage}] {outcome.feedback}\n\nNothing was written.")
        case Withheld():
            raise ToolRefused(f"{outcome.reason} Nothing was written.")


def _words(*parts: str | None) -> str:
    return "\n\n".join(part for part in parts if part)


def _redacted(labels: tuple[str, ...] | None, caller: Caller) -> tuple[str, ...] | None:
    return None if labels is None else tuple(map(caller.redacted, labels))


def _refused_to_reviewers(turn: Turn) -> str:
    return NOT_IN_REVIEWS if turn.kind is TurnKind.REVIEW else ""
