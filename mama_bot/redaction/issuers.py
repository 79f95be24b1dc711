"""The shapes of credentials that their issuers document: data, each with an example beside it."""

from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import NamedTuple

# In an example, so that nobody's scanner takes it for a secret of somebody.
BREAK = "·"


class IssuerShape(NamedTuple):
    """How one kind of credential looks; bounded, so that matching stays linear."""

    issuer: str
    expression: str
    example: str


@cache
def issuers() -> tuple[IssuerShape, ...]:
    """Return the shapes of `issuers.txt`, in its order."""
    text = (resources.files("mama_bot.redaction") / "issuers.txt").read_text(encoding="utf-8")
    return tuple(_read(text))


def issuer_shapes() -> tuple[str, ...]:
    """Return the expressions alone; their only looks are at what stands directly before."""
    return tuple(shape.expression for shape in issuers())


def _read(text: str) -> Iterator[IssuerShape]:
    for line in text.splitlines():
        if line and not line.startswith("#"):
            issuer, expression, example = line.split("  ")
            yield IssuerShape(issuer, expression, example.replace(BREAK, "").replace("\\n", "\n"))
