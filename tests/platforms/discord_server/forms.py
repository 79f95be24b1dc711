"""What a message has to be like for Discord to take it."""

from tests.platforms.discord_server.refusals import Json, Refused, invalid

MAX_CONTENT = 2000


def check_form(form: Json, *, files: bool) -> None:
    """Refuse what Discord would."""
    content = form.get("content") or ""
    if not isinstance(content, str):
        raise invalid("content", "STRING_TYPE_CONVERT", "Could not interpret value as string.")
    if len(content) > MAX_CONTENT:
        raise too_long()
    if not (content.strip() or form.get("embeds") or files or form.get("sticker_ids")):
        raise Refused(400, 50006, "Cannot send an empty message")
    if len(str(form.get("nonce") or "")) > 25:
        raise invalid("nonce", "NONCE_TYPE_TOO_LONG", "Must be 25 or fewer in length.")
    name = form.get("username")
    if name is not None and not 1 <= len(name.strip()) <= 80:
        raise invalid("username", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 80 in length.")
    if name is not None and any(word in name.lower() for word in ("discord", "clyde")):
        raise invalid("username", "USERNAME_INVALID_CONTAINS", "Username cannot contain this word")
    for row in form.get("components") or []:
        if any(len(str(one.get("custom_id", ""))) > 100 for one in row.get("components", [])):
            raise invalid("components", "BASE_TYPE_MAX_LENGTH", "Must be 100 or fewer in length.")


def too_long() -> Refused:
    """More characters than a message has room for."""
    return invalid("content", "BASE_TYPE_MAX_LENGTH", f"Must be {MAX_CONTENT} or fewer in length.")
