"""Posts as JSON Lines: one object to a line, which is never changed once it is written."""

from mama_bot.boards import sentences as says
from mama_bot.boards.json_lines import BadLine, JsonLine, json_line, lines_of, moment_field, text_field
from mama_bot.boards.topic_steps import MOST_POST, refuse_name
from mama_bot.boards.ulids import is_ulid
from mama_bot.errors import BoardRefused
from mama_bot.model import AuthorKind, Contributor, TopicPost, TopicPostId
from mama_bot.wording import one_line

MOST_NAME = 100


def post_line(post: TopicPost) -> str:
    """Return a post as a line."""
    return json_line(
        {
            "id": post.id,
            "topic": post.topic,
            "agent": post.by.name,
            "kind": post.by.kind.value,
            "model": post.by.model,
            "role": post.by.role,
            "body": post.text,
            "at": post.at.isoformat(),
            "in_reply_to": post.in_reply_to,
            "verdict": post.verdict.value if post.verdict is not None else None,
            "metadata": dict(post.metadata),
        }
    )


def posts_of(text: str) -> tuple[list[TopicPost], list[BadLine]]:
    """Return the posts of a text in its order, of those with one id the first, and the lines that hold none."""
    posts: dict[str, TopicPost] = {}
    bad: list[BadLine] = []
    for line in lines_of(text):
        post = _post(line) if isinstance(line, JsonLine) else line
        if isinstance(post, BadLine):
            bad.append(post)
        else:
            posts.setdefault(post.id, post)
    return list(posts.values()), bad


def _post(line: JsonLine) -> TopicPost | BadLine:
    value = line.value
    identifier, topic, body = text_field(value, "id"), text_field(value, "topic"), text_field(value, "body", "text")
    at = moment_field(value, "at", "ts")
    if not _is_topic(topic):
        return _lacks(line, "topic")
    for usable, field in ((is_ulid(identifier), "id"), (0 < len(body) <= MOST_POST, "body")):
        if not usable:
            return _lacks(line, field)
    if at is None:
        return _lacks(line, "at")
    metadata, answered = value.get("metadata"), text_field(value, "in_reply_to")
    # Whoever writes a file writes what it says of people and of verdicts: neither is believed.
    by = Contributor(
        name=one_line(text_field(value, "agent", "author"), MOST_NAME) or "?",
        kind=AuthorKind.AGENT,
        model=one_line(text_field(value, "model"), MOST_NAME),
        role=one_line(text_field(value, "role"), MOST_NAME),
    )
    return TopicPost(
        id=TopicPostId(identifier),
        topic=topic,
        text=body,
        by=by,
        at=at,
        in_reply_to=TopicPostId(answered) if is_ulid(answered) else None,
        metadata=metadata if isinstance(metadata, dict) else {},
        imported=True,
    )


def _is_topic(topic: str) -> bool:
    try:
        refuse_name(topic)
    except BoardRefused:
        return False
    return True


def _lacks(line: JsonLine, field: str) -> BadLine:
    return BadLine(number=line.number, reason=says.LACKS.of(field=field))
