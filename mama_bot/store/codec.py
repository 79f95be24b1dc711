"""Convert frozen values to text for a column, and back."""

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from threading import Lock
from typing import Annotated, Any, Generic, TypeVar

from pydantic import Field, TypeAdapter
from pydantic_core import PydanticSerializationError

from mama_bot.model import (
    Attempt,
    Author,
    BringingPlan,
    Checklist,
    ClaimReceipt,
    ConversationKey,
    DeedOutcome,
    DeedPlan,
    DeedRequest,
    DelegateTree,
    Facts,
    InboundMessage,
    Notice,
    Platform,
    Post,
    Reply,
    Report,
    RuleRecord,
    RuleState,
    ToolQuestion,
    ToolRecord,
    TopicPost,
    Turn,
    WatchedPullRequest,
    WorkBrought,
    WorkChange,
    WorkItem,
    well_formed,
)
from mama_bot.store.old_judgements import with_evidence
from mama_bot.tool_names import with_kind

T = TypeVar("T")

NOTHING_YET = Facts()
_LONGEST_REMEMBERED = 16_000  # characters: a record of a thousand calls shall not stay in memory
_MOST_REMEMBERED = 400_000  # characters of a kind, as values some 2 MB: what a conversation shows grows with its age


def instant(moment: datetime) -> str:
    """Return a moment in UTC as ISO 8601; such texts sort like the moments."""
    return moment.astimezone(UTC).isoformat()


def moment(text: str) -> datetime:
    """Return the moment that `instant` wrote."""
    return datetime.fromisoformat(text)


@lru_cache(maxsize=1_000)
def conversation_of(key: ConversationKey) -> str:
    """Return a key as a text that no other key has (unlike `str(key)`); its jobs are locked by the same text."""
    return json.dumps([key.platform, key.channel, key.thread], ensure_ascii=False)


def channel_of(key: ConversationKey) -> str:
    """Return how `conversation_of` begins for every thread of the key's channel, and for no other channel."""
    return json.dumps([key.platform, key.channel, ""], ensure_ascii=False).removesuffix('""]')


def key_from(conversation: str) -> ConversationKey:
    """Return the key that `conversation_of` wrote."""
    platform, channel, thread = json.loads(conversation)
    return ConversationKey(Platform(platform), channel, thread)


def _as_it_is(value: T) -> T:
    return value


class Codec(Generic[T]):
    """One kind of value as JSON; lone surrogates come back as U+FFFD.

    `upgraded` brings the text that an earlier release wrote to the form of today, `complete` the value; `stored` leaves
    out of a value what is not written. Those values, `remembered` in number and bounded in size, that were written or
    read last are not read again: they are frozen.
    """

    def __init__(
        self,
        kind: Any,
        *,
        upgraded: Callable[[str], str] = str,
        complete: Callable[[T], T] = _as_it_is,
        stored: Callable[[T], T] = _as_it_is,
        remembered: int = 0,
    ) -> None:
        self._kind = kind
        self._upgraded = upgraded
        self._complete = complete
        self._stored = stored
        self._remembered = remembered
        self._recent: OrderedDict[str, T] = OrderedDict()
        self._characters = 0
        self._writing = Lock()  # the thread that writes dumps, the one that reads loads

    @cached_property
    def _adapter(self) -> TypeAdapter[T]:
        return TypeAdapter(self._kind)

    def dump(self, value: T) -> str:
        """Return a value as JSON text."""
        value = self._stored(value)
        try:
            text = self._adapter.dump_json(value).decode()
        except PydanticSerializationError:
            plain = self._adapter.dump_python(value, mode="json")
            return well_formed(json.dumps(plain, ensure_ascii=False, separators=(",", ":")))
        if self._remembered:
            self._remember(text, self._complete(value))
        return text

    def load(self, text: str) -> T:
        """Return the value that `dump` wrote."""
        value = self._recent.get(text)
        if value is None:
            value = self._complete(self._adapter.validate_json(self._upgraded(text)))
            if self._remembered:
                self._remember(text, value)
        return value

    def _remember(self, text: str, value: T) -> None:
        if len(text) > _LONGEST_REMEMBERED:
            return
        with self._writing:
            if text not in self._recent:
                self._characters += len(text)
            self._recent[text] = value
            self._recent.move_to_end(text)
            while len(self._recent) > self._remembered or self._characters > _MOST_REMEMBERED:
                self._characters -= len(self._recent.popitem(last=False)[0])


def _turn(turn: Turn) -> Turn:
    """Return a turn whose tool calls have their kinds, which earlier releases did not store; as one not yet begun."""
    turn = replace(turn, earlier=NOTHING_YET)
    if not turn.told and not turn.undrafted.runs:
        return turn
    return replace(turn, told=tuple(map(with_kind, turn.told)), undrafted=_record(turn.undrafted))


def _without_earlier(turn: Turn) -> Turn:
    """Return a turn without what is kept for the conversation, once for all of its turns."""
    return replace(turn, earlier=None)


def _attempt(attempt: Attempt) -> Attempt:
    return replace(attempt, draft=replace(attempt.draft, record=_record(attempt.draft.record)))


def _record(record: ToolRecord) -> ToolRecord:
    return replace(record, runs=tuple(map(with_kind, record.runs)))


MESSAGE: Codec[InboundMessage] = Codec(InboundMessage, remembered=500)
TURN: Codec[Turn] = Codec(Turn, complete=_turn, stored=_without_earlier, remembered=200)
ATTEMPT: Codec[Attempt] = Codec(Attempt, upgraded=with_evidence, complete=_attempt)
REPORT: Codec[Report] = Codec(Report, upgraded=with_evidence)
AUTHOR: Codec[Author] = Codec(Author, remembered=500)
POST: Codec[Post] = Codec(
    Annotated[Reply | Notice, Field(discriminator="kind")], upgraded=with_evidence, remembered=200
)
FACTS: Codec[Facts] = Codec(Facts, remembered=200)
QUESTION: Codec[ToolQuestion] = Codec(ToolQuestion)
RULE_RECORD: Codec[RuleRecord] = Codec(RuleRecord)
RULE_STATE: Codec[RuleState] = Codec(RuleState)
CHECKLIST: Codec[Checklist] = Codec(Checklist)
PULL_REQUEST: Codec[WatchedPullRequest] = Codec(WatchedPullRequest)
RECEIPT: Codec[ClaimReceipt] = Codec(ClaimReceipt)
CHANGE: Codec[WorkChange] = Codec(WorkChange)
DELEGATE_TREE: Codec[DelegateTree] = Codec(DelegateTree)
BRINGING: Codec[BringingPlan] = Codec(BringingPlan)
BROUGHT: Codec[WorkBrought] = Codec(WorkBrought)
DEED: Codec[DeedRequest] = Codec(DeedRequest)
PLAN: Codec[DeedPlan] = Codec(Annotated[DeedPlan, Field(discriminator="kind")])
DEED_OUTCOME: Codec[DeedOutcome] = Codec(Annotated[DeedOutcome, Field(discriminator="kind")])
TOPIC_POST: Codec[TopicPost] = Codec(TopicPost, remembered=200)
WORK_ITEM: Codec[WorkItem] = Codec(WorkItem, remembered=1_000)
NAMES: Codec[tuple[str, ...]] = Codec(tuple[str, ...])
ARGUMENTS: Codec[Mapping[str, Any]] = Codec(dict[str, Any])
