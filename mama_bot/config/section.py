"""What every section of the settings is made of."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


def _no_truth(value: object) -> object:
    """YAML reads `yes` and `on` as true, which pydantic would take for 1."""
    if isinstance(value, bool):
        raise ValueError("expected a number")  # noqa: TRY004 - pydantic wants a ValueError
    return value


Whole = Annotated[int, BeforeValidator(_no_truth)]
Number = Annotated[float, BeforeValidator(_no_truth), Field(allow_inf_nan=False)]
Count = Annotated[Whole, Field(ge=1)]
Seconds = Annotated[Number, Field(gt=0)]
Share = Annotated[Number, Field(ge=0, le=1)]


class Section(BaseModel):
    """A part of the settings: frozen, and closed to unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    RENAMED: ClassVar[Mapping[str, str]] = {}
    """What a key was called once, and is called now."""


def renamed(section: type[BaseModel] | None, key: str) -> str | None:
    """Return what a former key of a section is called now; None: it never had such a key."""
    return section.RENAMED.get(key) if section is not None and issubclass(section, Section) else None
