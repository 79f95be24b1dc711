"""The arguments of a declaration: what their types are, and one sentence where they do not fit."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails

from mama_bot.config import sentence_of
from mama_bot.model import ClaimKind, Declaration, DeclaredOutcome, DeclaredVerdict, Misdeclared
from mama_bot.similar_names import most_similar

LONGEST = 2_000
MOST_OUTCOMES = 50
MOST_FILES = 200
Kind = Literal[
    "tests",
    "build",
    "types",
    "lint",
    "format",
    "benchmark",
    "reproduced",
    "created",
    "changed",
    "deleted",
    "committed",
    "pushed",
    "merged",
    "published",
    "deployed",
    "ran",
    "checked",
]
NEEDS_FILES = frozenset(("created", "changed", "deleted"))
NEEDS_A_SUBJECT = frozenset(("ran", "checked", "reproduced"))
SAYS_SO = {"true": True, "yes": True, "false": False, "no": False}
EXAMPLE = '{"kind": "tests", "tool": "pytest", "passed": 45}'


def _plain(value: Any) -> Any:
    """Return a figure that stands in a block of lines, where everything is text, as what it says."""
    if not isinstance(value, str):
        return value
    word = value.strip().lower()
    return int(word) if word.isascii() and word.isdigit() and len(word) < 10 else SAYS_SO.get(word, value)


def _folded(word: Any) -> Any:
    return word.strip().lower() if isinstance(word, str) else word


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Text = Annotated[str, Field(max_length=LONGEST)]
Figure = Annotated[StrictBool | Annotated[int, Field(ge=0, strict=True)] | None, BeforeValidator(_plain)]
Texts = Annotated[tuple[Text, ...], Field(max_length=MOST_FILES), BeforeValidator(_listed)]


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)


class OutcomeArguments(_Arguments):
    """One outcome as an agent writes it."""

    kind: Annotated[Kind, Field(description="what it is about")]
    tool: Annotated[Text, Field(description="the program, such as pytest")] = ""
    passed: Annotated[Figure, Field(description="how many passed, or true")] = None
    failed: Annotated[Figure, Field(description="how many failed, or true")] = None
    files: Annotated[Texts, Field(description="paths from the workspace")] = ()
    commit: Annotated[str, Field(description="the hash", pattern=r"^(?:[0-9a-fA-F]{7,64})?$")] = ""
    branch: Text = ""
    command: Annotated[Text, Field(description="the command as it was run")] = ""
    note: Text = ""

    @model_validator(mode="after")
    def _names_its_subject(self) -> "OutcomeArguments":
        if self.kind in NEEDS_FILES and not self.files:
            raise ValueError(f"an outcome of kind {self.kind} names its files")
        if self.kind in NEEDS_A_SUBJECT and not (self.files or self.command):
            raise ValueError(f"an outcome of kind {self.kind} names its command or its files")
        return self

    @property
    def outcome(self) -> DeclaredOutcome:
        """The outcome as a value."""
        passed, failed = self.passed, self.failed
        return DeclaredOutcome(
            kind=ClaimKind(self.kind),
            tool=self.tool.strip(),
            passed=None if isinstance(passed, bool) else passed,
            failed=None if isinstance(failed, bool) else failed,
            fails=bool(failed) or passed is False,
            files=tuple(name.strip() for name in self.files),
            commit=self.commit.lower(),
            branch=self.branch.strip(),
            command=self.command.strip(),
            note=self.note.strip(),
        )


Outcomes = Annotated[tuple[OutcomeArguments, ...], Field(max_length=MOST_OUTCOMES)]


class ReportArguments(_Arguments):
    """What `report` takes."""

    outcomes: Outcomes
    summary: Text = ""

    @property
    def declaration(self) -> Declaration:
        """All of it as a value."""
        return Declaration(outcomes=tuple(outcome.outcome for outcome in self.outcomes), summary=self.summary)


class ReviewArguments(_Arguments):
    """What `submit_review` takes."""

    verdict: Annotated[Literal["approve", "reject"], BeforeValidator(_folded)]
    checked: Annotated[
        Outcomes,
        Field(description="what you ran and read yourself", validation_alias=AliasChoices("checked", "evidence")),
    ] = ()
    issues: Annotated[
        Texts,
        Field(
            description="one sentence each: file, line, what is wrong, what would be right",
            validation_alias=AliasChoices("issues", "findings"),
        ),
    ] = ()

    @property
    def declaration(self) -> Declaration:
        """All of it as a value."""
        return Declaration(
            outcomes=tuple(outcome.outcome for outcome in self.checked),
            verdict=DeclaredVerdict(self.verdict),
            findings=tuple(filter(None, map(str.strip, self.issues))),
        )


def declaration_of(kind: type[ReportArguments | ReviewArguments], arguments: object) -> Declaration | Misdeclared:
    """Return what an agent declares, or what is wrong with it in one sentence with the nearest valid name."""
    try:
        return kind.model_validate(arguments).declaration
    except ValidationError as error:
        return Misdeclared(problem=_problem(error.errors(include_url=False)[0], kind))


def _problem(error: ErrorDetails, kind: type[BaseModel]) -> str:
    # The parts of a union are named in a place; what people wrote is not.
    place = [part for part in error["loc"] if isinstance(part, int) or part.isidentifier()]
    place = [part for part in place if part not in ("bool", "int")]
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).lstrip(".")
    match error["type"]:
        case "extra_forbidden":
            known = (OutcomeArguments if len(place) > 1 else kind).model_fields
            name = str(error["loc"][-1])
            return f"{path or name} is not known.{_similar(name, known)}"
        case "literal_error":
            names = get_args(Kind) if place[-1:] == ["kind"] else ("approve", "reject")
            shown = str(error["input"])[:60]
            return f'{path} is "{shown}".{_similar(shown, names)}'
        case "model_type" | "model_attributes_type" | "dict_type":
            return f"{path or 'A declaration'} has to be an object, for example {EXAMPLE}."
        case "missing":
            return f"{path} is missing."
        case "string_pattern_mismatch":
            return f"{path} has to be a hash of at least 7 hexadecimal digits."
        case "bool_type" | "int_type" | "greater_than_equal":
            return f"{path} has to be a whole number, or true or false."
        case "value_error":
            return f"{path}: {error['msg'].removeprefix('Value error, ')}."
        case _:
            return f"{path + ': ' if path else ''}{sentence_of(error)}."


def _similar(name: str, known: Mapping[str, object] | tuple[str, ...]) -> str:
    similar = most_similar(name, known)
    return f' Did you mean "{similar}"?' if similar else f" Known: {', '.join(known)}."
