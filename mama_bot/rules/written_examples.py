"""The calls that people write for a rule: as examples in its file, and for `mama-bot rules explain`."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mama_bot.config import nearest_name, sentence_of
from mama_bot.errors import ConfigurationError
from mama_bot.model import ChecksState, Tier
from mama_bot.rules import sentences as says
from mama_bot.rules.rule import Example
from mama_bot.similar_names import most_similar
from mama_bot.tool_names import CLAUDE, GRANTABLE, SHELL_TOOL

KEYS = frozenset({"tool", "given"})

Count = Annotated[int, Field(strict=True, ge=0, le=1_000_000)]
Truth = Annotated[bool, Field(strict=True)]
Texts = tuple[Annotated[str, Field(max_length=4_000)], ...]


class WrittenFacts(BaseModel):
    """What came before a call, as `given:` says it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    files: Texts = ()
    shown: Texts = ()
    written: Texts = ()
    looks: Count = 1
    edits: Count = 0
    checks: ChecksState = ChecksState.NONE
    strikes: Count = 0
    counters: Mapping[str, Count] = Field(default_factory=dict)
    persona: str = ""
    tier: Tier = Tier.WORKER
    read_only: Truth = False
    branch: str = ""
    empty: Truth = False
    ok: Truth = True
    error: str = ""
    workflow: str = ""
    open: Texts = ()


def example_of(written: object) -> Example:
    """Return a call that somebody wrote: a command line, or a tool with its arguments; raises ConfigurationError."""
    if isinstance(written, str):
        return Example(tool=SHELL_TOOL, arguments={"command": written}, text=written)
    if not isinstance(written, dict):
        raise ConfigurationError(problem=says.EXPECTED_CALL)
    arguments = {str(key): value for key, value in written.items() if key not in KEYS}
    named = written.get("tool", SHELL_TOOL if "command" in arguments else "")
    tool = tool_of(named) if arguments or "tool" in written else ""  # a session begins without a call
    return Example(tool=tool, arguments=arguments, given=written_facts(written.get("given", {})), text=str(written))


def written_facts(given: object) -> Mapping[str, Any]:
    """Return what came before a call, only what was written of it; raises ConfigurationError."""
    if not isinstance(given, dict):
        raise ConfigurationError(problem=says.EXPECTED_FACTS)
    for key in given:
        if str(key) not in WrittenFacts.model_fields:
            hint = nearest_name(str(key), WrittenFacts.model_fields)
            raise ConfigurationError(problem=says.UNKNOWN_FACT.of(name=str(key)[:60], hint=hint))
    try:
        return WrittenFacts.model_validate(given).model_dump(exclude_unset=True)
    except ValidationError as error:
        first = error.errors()[0]
        problem = f"given: {first['loc'][0]}: {sentence_of(first)}."
        raise ConfigurationError(problem=problem) from None


def tool_of(name: object) -> str:
    """Return the name of a tool; raises ConfigurationError where it is none, or one that is known but for a letter."""
    if not isinstance(name, str) or not name:
        raise ConfigurationError(problem=says.WHICH_TOOL)
    known = frozenset(GRANTABLE)
    similar = None if name in CLAUDE or name in known or "__" in name else most_similar(name, known)
    if similar is not None:
        raise ConfigurationError(problem=says.NO_SUCH_TOOL.of(name=name[:60], hint=nearest_name(name, known)))
    return name
