"""A post in Discord's own markup."""

from mama_bot.model import Part, Post, Reply

LIMIT = 1900


def parts_of(post: Post, *, header: bool = False) -> tuple[Part, ...]:
    """A post as messages that Discord takes; with `header` the first begins with the persona's name."""
    text = post.body if isinstance(post, Reply) else post.text
    if header and isinstance(post, Reply):
        text = f"{post.display_name}\n{text}"
    pieces = [text[start : start + LIMIT] for start in range(0, len(text), LIMIT)] or [" "]
    last = len(pieces) - 1
    return tuple(Part(index=index, text=piece, plain=piece, last=index == last) for index, piece in enumerate(pieces))


def line_of(markdown: str) -> tuple[str, str]:
    """A short text of the service itself (progress, the answer to a command): in markup, and without."""
    return markdown[:LIMIT], markdown[:LIMIT]
