"""Convert frozen values to text for a column, and back."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Annotated, Any, Generic, TypeVar

from pydantic import Field, TypeAdapter
from pydantic_core import PydanticSerializationError

from mama_bot.model import (
    Attempt,
    Author,
    Checklist,
    ClaimReceipt,
    ConversationKey,
    InboundMessage,
    Notice,
    Platform,
    Post,
    Reply,
    Report,
    ToolRecord,
    Turn,
    well_formed,
)
from mama_bot.store.old_judgements import with_evidence
from mama_bot.tool_names import with_kind

T = TypeVar("T")


def instant(moment: datetime) -> str:
    """Return a moment in UTC as ISO 8601; such texts sort like the moments."""
    return moment.astimezone(UTC).isoformat()


def moment(text: str) -> datetime:
    """Return the moment that `instant` wrote."""
    return datetime.fromisoformat(text)


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


class Codec(Generic[T]):
    """One kind of value as JSON; lone surrogates come back as U+FFFD.

    `upgraded` brings the text that an earlier release wrote to the form of today, `complete` the value.
    """

    def __init__(
        self, kind: Any, *, upgraded: Callable[[str], str] = str, complete: Callable[[T], T] | None = None
    ) -> None:
        self._kind = kind
        self._upgraded = upgraded
        self._complete = complete

    @cached_property
    def _adapter(self) -> TypeAdapter[T]:
        return TypeAdapter(self._kind)

    def dump(self, value: T) -> str:
        """Return a value as JSON text."""
        try:
            return self._adapter.dump_json(value).decode()
        except PydanticSerializationError:
            plain = self._adapter.dump_python(value, mode="json")
            return well_formed(json.dumps(plain, ensure_ascii=False, separators=(",", ":")))

    def load(self, text: str) -> T:
        """Return the value that `dump` wrote."""
        value = self._adapter.validate_json(self._upgraded(text))
        return value if self._complete is None else self._complete(value)


def _turn(turn: Turn) -> Turn:
    """Return a turn whose tool calls have their kinds, which earlier releases did not store."""
    return replace(turn, told=tuple(map(with_kind, turn.told)), undrafted=_record(turn.undrafted))


def _attempt(attempt: Attempt) -> Attempt:
    return replace(attempt, draft=replace(attempt.draft, record=_record(attempt.draft.record)))


def _record(record: ToolRecord) -> ToolRecord:
    return replace(record, runs=tuple(map(with_kind, record.runs)))


MESSAGE: Codec[InboundMessage] = Codec(InboundMessage)
TURN: Codec[Turn] = Codec(Turn, complete=_turn)
ATTEMPT: Codec[Attempt] = Codec(Attempt, upgraded=with_evidence, complete=_attempt)
REPORT: Codec[Report] = Codec(Report, upgraded=with_evidence)
AUTHOR: Codec[Author] = Codec(Author)
POST: Codec[Post] = Codec(Annotated[Reply | Notice, Field(discriminator="kind")], upgraded=with_evidence)
CHECKLIST: Codec[Checklist] = Codec(Checklist)
RECEIPT: Codec[ClaimReceipt] = Codec(ClaimReceipt)
NAMES: Codec[tuple[str, ...]] = Codec(tuple[str, ...])
ARGUMENTS: Codec[Mapping[str, Any]] = Codec(dict[str, Any])
