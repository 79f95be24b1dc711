"""Text that can be stored, searched and sent: values that bear text from outside make it so when they are made."""


def well_formed(text: str) -> str:
    """Return the text as UTF-8 can hold it: surrogate pairs joined, lone surrogates replaced by U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def keep_well_formed(value: object, *fields: str) -> None:
    """Make the fields of a frozen value well-formed, each a text or a tuple of texts; for its `__post_init__`."""
    for field in fields:
        given = getattr(value, field)
        kept = well_formed(given) if isinstance(given, str) else tuple(map(well_formed, given))
        if kept != given:
            object.__setattr__(value, field, kept)


def words(listed: str) -> tuple[str, ...]:
    """Return the words of a text in their order: `words("tests build")` is `("tests", "build")`."""
    return tuple(listed.split())
