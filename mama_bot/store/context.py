"""The shared context: only messages of people, and replies that passed enforcement."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import takewhile

from mama_bot.model import (
    Author,
    AuthorKind,
    ContextEntry,
    ConversationKey,
    InboundMessage,
    MessageId,
    Reply,
    SharedContext,
    ToldBefore,
    TurnId,
    Verdict,
    session_name,
)
from mama_bot.store.added import has_untaken
from mama_bot.store.codec import AUTHOR, MESSAGE, conversation_of, instant, moment
from mama_bot.store.connection import EVERYTHING, Connection, Row, Statement
from mama_bot.store.context_window import (
    BYTES_OF_TOKEN,
    SUMMARY_CHARACTERS,
    first_of_summary,
    first_of_window,
    longest_entry,
    tokens_in_bytes,
)
from mama_bot.store.database import Database
from mama_bot.store.earlier_facts import forget_facts
from mama_bot.store.stored_questions import close_checkpoints
from mama_bot.wording import one_line

_LEFT_OUT = "\n[… the middle is left out …]\n"

_INSERT_MESSAGE = Statement(
    """
    INSERT INTO context (source, conversation, message, author, body, at)
    VALUES (:source, :conversation, :message, :author, :body, :at)
    """
)
_INSERT_REPLY = Statement(
    """
    INSERT INTO context (source, conversation, message, author, body, at, verdict)
    VALUES (:source, :conversation,
            (SELECT messages.sequence FROM turns JOIN messages ON messages.id = turns.message_id
             WHERE turns.id = :turn_id), :author, :body, :at, :verdict)
    ON CONFLICT (source) DO NOTHING
    """
)
_REPLACE_MESSAGE = Statement("UPDATE context SET body = :body WHERE source = :source")
_REMOVE_MESSAGE = Statement("DELETE FROM context WHERE source = :source")
# In the order of the exchanges, each message before the replies to it: a message that waited while others were answered
# comes after their replies.
_ALL = "FROM context"
_SEEN = """
    WHERE conversation = :conversation
      AND context.sequence > COALESCE((SELECT sequence FROM context WHERE source = :mark), 0)
      AND (CAST(:before AS TEXT) IS NULL OR message < (SELECT sequence FROM messages WHERE id = :before)
           OR (source LIKE 'post:%' AND message = (SELECT sequence FROM messages WHERE id = :before)))
"""
_NEWEST_FIRST = "ORDER BY message DESC, context.sequence DESC"
_OLDEST_FIRST = "ORDER BY message, context.sequence"
# Of which part of the work a reply is, and in whose work tree it was written: a reviewer's is of what it looked at. A
# request has neither, and its body may be large.
_SAID = """
    context.author, context.at, context.verdict,
    json_extract(said.body, '$.work_tree') AS work_tree,
    COALESCE(json_extract(said.body, '$.delegation.task'), json_extract(reviewed.body, '$.delegation.task')) AS part
"""
_SAYING = """
    FROM context
    LEFT JOIN turns AS said ON said.kind <> 'request'
         AND said.id = CASE WHEN source LIKE 'post:%.reply' THEN substr(source, 6, length(source) - 11) END
    LEFT JOIN turns AS reviewed ON said.kind = 'review' AND reviewed.id = json_extract(said.body, '$.parent')
"""
_NEWEST = Statement(f"SELECT {_SAID}, context.body {_SAYING} {_SEEN} {_NEWEST_FIRST} LIMIT :limit")
# Only how large each is, since a conversation may be long.
_SIZES = Statement(f"SELECT octet_length(body) AS size {_ALL} {_SEEN} {_OLDEST_FIRST}")
_BEGINNING = "substr(context.body, 1, :most) AS body"
_SUMMARISED = Statement(f"SELECT {_SAID}, {_BEGINNING} {_SAYING} {_SEEN} {_OLDEST_FIRST} LIMIT :limit OFFSET :first")
_WHOLE = Statement(f"SELECT {_SAID}, context.body {_SAYING} {_SEEN} {_OLDEST_FIRST} LIMIT {EVERYTHING} OFFSET :first")

# What came before it is not read any more: agents begin anew. Of each conversation there is one, the latest.
_REMOVE_MARK = Statement("DELETE FROM context WHERE source = :mark")
_INSERT_MARK = Statement(
    """
    INSERT INTO context (source, conversation, author, body, at) VALUES (:mark, :conversation, :author, '', :at)
    """
)
_FORGET_SESSIONS = tuple(
    Statement(f"DELETE FROM {table} WHERE conversation = :conversation")  # noqa: S608 - constants
    for table in ("transcripts", "sessions")
)


_WITH_FILES = Statement(
    """
    SELECT messages.body FROM (
        SELECT substr(source, 9) AS id FROM context
        WHERE conversation = :conversation AND source LIKE 'message:%'
          AND sequence > COALESCE((SELECT sequence FROM context WHERE source = :mark), 0)
          AND message < (SELECT sequence FROM messages WHERE id = :before)
        ORDER BY message DESC, sequence DESC LIMIT :looked_at
    ) AS earlier JOIN messages ON messages.id = earlier.id
    WHERE json_array_length(messages.body, '$.attachments') > 0
       OR length(json_extract(messages.body, '$.text')) > :long
    ORDER BY messages.sequence DESC LIMIT :most
    """
)
LOOKED_AT = 300
MOST_UNREAD = 200
CHARACTERS_OF_TOKEN = 3


class StoredContext:
    """The `ContextStore` of the database."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def window(
        self,
        key: ConversationKey,
        *,
        before: MessageId | None,
        max_entries: int,
        max_characters: int,
        unread_by: str | None = None,
    ) -> Sequence[ContextEntry]:
        """See `ContextStore.window`; the budget counts the characters of the texts, not the names.

        The newest entry that does not fit is left out with all older ones, or cut in the middle when it would fit no
        window.
        """
        conversation = conversation_of(key)

        def work(connection: Connection) -> Sequence[ContextEntry]:
            return _window(connection, conversation, before, max_entries, max_characters, unread_by)

        return await self._database.read(work)

    async def told(
        self,
        key: ConversationKey,
        *,
        before: MessageId | None,
        max_tokens: int,
        unread_by: str | None = None,
        most_full: int,
        long_characters: int,
    ) -> ToldBefore:
        """See `ContextStore.told`; for `full` the last 300 messages are looked at."""
        conversation = conversation_of(key)

        def work(connection: Connection) -> ToldBefore:
            if unread_by is None:
                context = _shared(connection, conversation, before, max_tokens)
            else:
                characters = max_tokens * CHARACTERS_OF_TOKEN
                unread = _window(connection, conversation, before, MOST_UNREAD, characters, unread_by)
                context = SharedContext(entries=tuple(unread))
            full = {"before": before, "long": long_characters, "most": most_full, "looked_at": LOOKED_AT}
            rows = connection.execute(_WITH_FILES, {**_place(conversation), **full}).all()
            return ToldBefore(
                context=context,
                full=tuple(MESSAGE.load(row.body) for row in reversed(rows)),
                is_added=before is not None and has_untaken(connection, before),
            )

        return await self._database.read(work)

    async def begin_anew(self, key: ConversationKey, *, by: Author, at: datetime) -> None:
        conversation = conversation_of(key)
        facts = {"conversation": conversation, "mark": _mark(conversation)}

        def work(connection: Connection) -> None:
            connection.execute(_REMOVE_MARK, facts)
            connection.execute(_INSERT_MARK, {**facts, "author": AUTHOR.dump(by), "at": instant(at)})
            for forgetting in _FORGET_SESSIONS:
                connection.execute(forgetting, facts)
            forget_facts(connection, key)
            close_checkpoints(connection, key, by=by.name, at=at)

        await self._database.write(work)


def add_message(connection: Connection, message: InboundMessage, sequence: int) -> None:
    """Store a person's message in the shared context; `sequence` is its place in the inbox."""
    connection.execute(
        _INSERT_MESSAGE,
        {
            "source": f"message:{message.id}",
            "conversation": conversation_of(message.key),
            "message": sequence,
            "author": AUTHOR.dump(message.author),
            "body": message.text_with_files,
            "at": instant(message.received_at),
        },
    )


def replace_message(connection: Connection, message: InboundMessage) -> None:
    """Replace the text of a person's message."""
    connection.execute(_REPLACE_MESSAGE, {"source": f"message:{message.id}", "body": message.text_with_files})


def remove_message(connection: Connection, message_id: MessageId) -> None:
    """Remove a person's message from the shared context."""
    connection.execute(_REMOVE_MESSAGE, {"source": f"message:{message_id}"})


def add_reply(connection: Connection, reply: Reply, at: str) -> None:
    """Store what agents read of a cleared reply in the shared context of its conversation, once."""
    author = Author(id=reply.persona, name=reply.display_name, kind=AuthorKind.AGENT)
    connection.execute(
        _INSERT_REPLY,
        {
            "source": f"post:{reply.id}",
            "turn_id": reply.turn_id,
            "conversation": conversation_of(reply.key),
            "author": AUTHOR.dump(author),
            "body": reply.for_agents,
            "at": at,
            "verdict": reply.verdict,
        },
    )


def _place(conversation: str) -> dict[str, str]:
    return {"conversation": conversation, "mark": _mark(conversation)}


def _window(
    connection: Connection,
    conversation: str,
    before: MessageId | None,
    max_entries: int,
    max_characters: int,
    unread_by: str | None,
) -> Sequence[ContextEntry]:
    """See `ContextStore.window`."""
    rows = connection.execute(_NEWEST, {**_place(conversation), "before": before, "limit": max_entries})
    return fit(_unread(map(_entry, rows), unread_by), max_characters)


def _shared(connection: Connection, conversation: str, before: MessageId | None, max_tokens: int) -> SharedContext:
    """Return what an agent that knows nothing of a conversation is shown of it."""
    facts = {**_place(conversation), "before": before}
    longest = longest_entry(max_tokens) * BYTES_OF_TOKEN
    sizes = list(connection.execute(_SIZES, facts).scalars())
    first = first_of_window([tokens_in_bytes(size) for size in sizes], max_tokens)
    rows = connection.execute(_WHOLE, {**facts, "first": first})
    entries = tuple(replace(entry, text=_cut(entry.text, longest)) for entry in map(_entry, rows))
    lines = [tokens_in_bytes(min(size, SUMMARY_CHARACTERS)) for size in sizes[:first]]
    told = first_of_summary(lines, max_tokens)
    range_of = {"first": told, "limit": first - told, "most": 4 * SUMMARY_CHARACTERS}
    summarised = connection.execute(_SUMMARISED, facts | range_of) if first else ()
    earlier = (replace(entry, text=_beginning(entry.text)) for entry in map(_entry, summarised))
    return SharedContext(entries=entries, earlier=tuple(earlier), left_out=told)


def _unread(newest_first: Iterable[ContextEntry], session: str | None) -> Iterable[ContextEntry]:
    """Return the entries down to the last one of an agent's own session; all of them for nobody."""

    def is_own(entry: ContextEntry) -> bool:
        return entry.author.kind is AuthorKind.AGENT and session_name(entry.author.id, entry.work_tree) == session

    return takewhile(lambda entry: not is_own(entry), newest_first)


def fit(newest_first: Iterable[ContextEntry], max_characters: int) -> tuple[ContextEntry, ...]:
    """Return the newest entries whose texts have at most `max_characters` together, oldest first."""
    kept: list[ContextEntry] = []
    room = max_characters
    for entry in newest_first:
        if len(entry.text) > room:
            if len(entry.text) > max_characters and room > 0:
                kept.append(replace(entry, text=cut_in_the_middle(entry.text, room)))
            break
        kept.append(entry)
        room -= len(entry.text)
    return tuple(reversed(kept))


def cut_in_the_middle(words: str, size: int) -> str:
    """Return the beginning and the end of a text, `size` characters in all, with a mark for what is left out."""
    if len(words) <= size:
        return words
    if size <= 2 * len(_LEFT_OUT):
        return words[:size]
    kept = size - len(_LEFT_OUT)
    return words[: kept - kept // 2] + _LEFT_OUT + words[len(words) - kept // 2 :]


def _cut(words: str, most_bytes: int) -> str:
    """Return a text of at most so many bytes, its middle left out."""
    size = len(words.encode())
    return words if size <= most_bytes else cut_in_the_middle(words, len(words) * most_bytes // size)


def _beginning(words: str) -> str:
    """Return how a text begins, on one line."""
    return one_line(words, SUMMARY_CHARACTERS)


def _mark(conversation: str) -> str:
    return f"anew:{conversation}"


def _entry(row: Row) -> ContextEntry:
    return ContextEntry(
        author=AUTHOR.load(row.author),
        text=row.body,
        at=moment(row.at),
        verdict=None if row.verdict is None else Verdict(row.verdict),
        part=row.part or "",
        work_tree=None if row.work_tree is None else TurnId(row.work_tree),
    )
