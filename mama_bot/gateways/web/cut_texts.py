"""Texts cut to what a page shows of them."""


def cut(text: str, limit: int) -> str:
    """Return the text, or its beginning and an ellipsis when it is longer than `limit` characters."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def tail(text: str, limit: int) -> str:
    """Return the text, or an ellipsis and its end when it is longer than `limit` characters."""
    return text if len(text) <= limit else "…" + text[1 - limit :]
