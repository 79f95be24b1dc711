"""What is taken out of a text before it is kept or shown: credentials by their shape, by their name, and our own."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from mama_bot.redaction.issuers import issuer_shapes
from mama_bot.redaction.named_values import ASSIGNED, MINIMUM_SECRET, NAMED, REDACTED, without_value
from mama_bot.redaction.own_values import literal_forms, written_otherwise

__all__ = ["REDACTED", "redactor"]

# Longer than any value that is a secret and no document.
_LONGEST_OWN = 1_000
_LOOK = re.compile(r"\(\?<?(?P<sign>[=!])(?P<what>(?:\[[^]]*\]|[^()\[])*)\)")  # (?<=[Bb]earer )
_LARGE = re.compile(r"\{([0-9]+),[0-9]{3,}\}")  # {16,2000}


def redactor(secrets: Sequence[str] = ()) -> Callable[[str], str]:
    """Return a function that replaces credentials, by their shape and by the given values, with `[redacted]`.

    The given values are found in common encodings too. What it returns it leaves as it is, asked again.
    """
    return _redactor(
        tuple(sorted({secret for secret in secrets if len(secret) >= MINIMUM_SECRET}, key=len, reverse=True))
    )


@lru_cache(maxsize=16)
def _redactor(own: tuple[str, ...]) -> Callable[[str], str]:
    import re2  # here: `mama-bot --help` needs no expressions

    options = re2.Options()
    options.max_mem = 2**28
    options.log_errors = False
    shapes = [(re2.compile(_without_looks(shape)), re.compile(shape)) for shape in issuer_shapes()]
    perhaps = "|".join(map(_without_looks, issuer_shapes()))
    forms = sorted({form for secret in own for form in literal_forms(secret)}, key=len, reverse=True)
    literals = re2.compile("|".join(map(re2.escape, forms)), options) if forms else None
    written = [form for secret in own if len(secret) <= _LONGEST_OWN and (form := written_otherwise(secret))]
    otherwise = re2.compile("|".join(written), options) if written else None
    # Nearly every text holds nothing at all, which one pass tells: each pass lets other threads go first.
    anything = _search("|".join(f"(?:{part})" for part in (perhaps, ASSIGNED, *map(re2.escape, forms), *written)))
    perhaps_in, assigned_in = _search(perhaps), _search(ASSIGNED)

    def redact(text: str) -> str:
        whole = True
        try:
            raw = text.encode()
        except UnicodeEncodeError:  # half a surrogate pair: RE2 does not take it
            whole = False
        if whole and not anything(raw):
            return text
        if not whole or (literals is not None and literals.search(text)):
            for form in forms:
                text = text.replace(form, REDACTED)
        if whole and otherwise is not None:
            text = otherwise.sub(REDACTED, text)
        if not whole or perhaps_in(text.encode()):
            for seen, shape in shapes:  # RE2 says twenty times as fast that a text has none
                if not whole or seen.search(text):
                    text = shape.sub(REDACTED, text)
        return NAMED.sub(without_value, text) if not whole or assigned_in(text.encode()) else text

    return redact


def _search(expression: str) -> Callable[[bytes], bool]:
    """Return what says whether an expression is anywhere in an encoded text; it may be, where RE2 cannot say."""
    import re2

    options = re2.Options()
    options.max_mem = 2**28
    options.log_errors = False
    options.never_capture = True
    # The library's own Python takes longer around a search than the search itself, so its engine is asked here.
    engine = re2._re2.RE2(expression.encode(), options)
    anywhere = re2._re2.RE2.Anchor.UNANCHORED
    if not engine.ok():
        return lambda _raw: True
    return lambda raw: engine.Match(anywhere, raw, 0, len(raw))[0][0] >= 0


def _without_looks(expression: str) -> str:
    """Return an expression that finds whatever this one finds, without what RE2 does not know: looks, large bounds."""
    seen = _LOOK.sub(lambda look: look["what"] if look["sign"] == "=" else "", expression)
    return _LARGE.sub(r"{\1,}", seen)
