"""Find which kept files are still needed."""

from pathlib import Path

from mama_bot.model import Reply
from mama_bot.store.codec import MESSAGE, POST
from mama_bot.store.connection import Connection, Statement

_UNFINISHED = Statement(
    """
    SELECT body FROM messages WHERE id IN (SELECT json_extract(args, '$.message_id') FROM jobs)
    AND body LIKE '%"path"%'
    """
)
_UNSETTLED = Statement("SELECT body FROM outbox WHERE posted_at IS NULL AND failure = '' AND body LIKE '%\"path\"%'")


def files_in_use(connection: Connection) -> frozenset[Path]:
    """Return the files of messages that are not finished and of posts that are not settled."""
    messages = (MESSAGE.load(body) for (body,) in connection.execute(_UNFINISHED))
    posts = (POST.load(body) for (body,) in connection.execute(_UNSETTLED))
    came = {attachment.path for message in messages for attachment in message.attachments}
    go = {file.path for post in posts if isinstance(post, Reply) for file in post.files if file.path is not None}
    return frozenset(came | go)
