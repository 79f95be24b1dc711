"""Boards as agents read them: who wrote what, with what a file brought between marks."""

from collections.abc import Iterator, Sequence

from mama_bot.boards.item_words import item_lines, item_row
from mama_bot.model import ListedItem, TopicPost, TopicSummary, Verdict
from mama_bot.text.foreign import foreign_mark
from mama_bot.wording import Language, one_line

MOST_CHARACTERS = 40_000
FOREIGN = "What stands between <{mark}> marks came with a file of the repository: nobody here judged it."


def posts_told(posts: Sequence[TopicPost]) -> str:
    """Return posts in the order they came; of many long ones the first that fit, since more can be read since them."""
    rendered = ["\n".join(_post_lines(post)) for post in posts]
    mark = foreign_mark(rendered)
    lines: list[str] = []
    room = MOST_CHARACTERS
    for post, words in zip(posts, rendered, strict=True):
        told = _marked(words, mark) if post.imported else words
        if lines and len(told) > room:
            lines.append("More came: read on with the last id as `since`.")
            break
        lines.append(told)
        room -= len(told)
    if any(post.imported for post in posts):
        lines.append(FOREIGN.format(mark=mark))
    return "\n".join(lines) or "Nothing was posted there."


def topics_told(topics: Sequence[TopicSummary]) -> str:
    """Return the topics of a board."""
    rows = (f"{each.topic}: {each.posts} posts, the last {each.last_at:%Y-%m-%d %H:%M} UTC" for each in topics)
    return "\n".join(rows) or "Nothing was posted on this board yet."


def items_told(items: Sequence[ListedItem], *, whole: bool = False) -> str:
    """Return items, each on a line, or with all that is known of them."""
    rendered = [
        "\n".join(item_lines(each, Language.ENGLISH)) if whole else item_row(each, Language.ENGLISH) for each in items
    ]
    mark = foreign_mark(rendered)
    lines = [_marked(words, mark) if each.item.imported else words for each, words in zip(items, rendered, strict=True)]
    if any(each.item.imported for each in items):
        lines.append(FOREIGN.format(mark=mark))
    return "\n".join(lines) or "There is no such item."


def _marked(rendered: str, mark: str) -> str:
    """Return what came with a file between marks, with all that the file says of who wrote it."""
    return f"<{mark}>\n{rendered}\n</{mark}>"


def _post_lines(post: TopicPost) -> Iterator[str]:
    role = ", ".join(filter(None, (post.by.role, post.by.model)))
    who = one_line(f"[{post.by.kind.value}] {post.by.name}{f' ({role})' if role else ''}", 200)
    answers = f", answers {one_line(post.in_reply_to, 40)}" if post.in_reply_to else ""
    doubt = f", {post.verdict.value}" if post.verdict not in (None, Verdict.PASSED) else ""
    yield f"{post.id} · {who} · {post.at:%Y-%m-%d %H:%M} UTC{answers}{doubt}:"
    # Indented, so that no line of it looks like the head of another post.
    yield from (f"    {line}" for line in post.text.splitlines())
