"""What every section of the settings is made of."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

LAST_PORT = 65535


def _no_truth(value: object) -> object:
    """YAML reads `yes` and `on` as true, which pydantic would take for 1."""
    if isinstance(value, bool):
        raise ValueError("expected a number")  # noqa: TRY004 - pydantic wants a ValueError
    return value


def _ports(value: object) -> object:
    """Return the first and the last of "7000-7010", and a single port as both."""
    words = str(value).split("-") if isinstance(value, int | str) and not isinstance(value, bool) else []
    if not 1 <= len(words) <= 2 or not all(word.strip().isdecimal() for word in words):
        raise ValueError('expected a port, or the first and the last as in "7000-7010"')
    first, last = int(words[0]), int(words[-1])
    if not 1 <= first <= last <= LAST_PORT:
        raise ValueError(f"expected ports from 1 to {LAST_PORT}, the smaller one first")
    return first, last


Whole = Annotated[int, BeforeValidator(_no_truth)]
Number = Annotated[float, BeforeValidator(_no_truth), Field(allow_inf_nan=False)]
Count = Annotated[Whole, Field(ge=1)]
Seconds = Annotated[Number, Field(gt=0)]
PortRange = Annotated[tuple[int, int], BeforeValidator(_ports)]
Share = Annotated[Number, Field(ge=0, le=1)]


class Section(BaseModel):
    """A part of the settings: frozen, and closed to unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    RENAMED: ClassVar[Mapping[str, str]] = {}
    """What a key was called once, and is called now."""


def renamed(section: type[BaseModel] | None, key: str) -> str | None:
    """Return what a former key of a section is called now; None: it never had such a key."""
    return section.RENAMED.get(key) if section is not None and issubclass(section, Section) else None
