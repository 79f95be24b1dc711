"""Workflows from the files of rules: YAML, each mistake one sentence with file, line and the nearest valid name."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from mama_bot.config import Document, nearest_name, sentence_of
from mama_bot.errors import ConfigurationError
from mama_bot.model import NO_WORKFLOW
from mama_bot.rules import sentences as says
from mama_bot.rules.conditions import Condition, misexpressed
from mama_bot.rules.matchers import EVERYTHING, Matcher, problem_of
from mama_bot.rules.workflow import Edge, Step, Workflow
from mama_bot.rules.written_values import NAME, Persons, Text, as_expression, value_offset
from mama_bot.wording import Said, as_written, one_line

KEY = "workflows"
MOST_STEPS = 20
MOST_WORKFLOWS = 100
LONGEST_MANDATE = 1_000
RESERVED = (NO_WORKFLOW, "default")


class WrittenStep(BaseModel):
    """The keys of a step."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(pattern=NAME)]
    title: Persons | None = None
    mandate: Annotated[Text, Field(min_length=1)]
    proof: Annotated[str, BeforeValidator(as_expression)]
    edge: Edge = Edge.SOFT
    tools: Annotated[str, Field(max_length=400)] = ""
    when: Annotated[str, BeforeValidator(as_expression)] = ""


class WrittenWorkflow(BaseModel):
    """The keys of a workflow."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(pattern=NAME)]
    about: Text = ""
    steps: Annotated[tuple[WrittenStep, ...], Field(min_length=1, max_length=MOST_STEPS)]


def workflows_in(document: Document, lines: Sequence[str], *, shipped: bool) -> tuple[Workflow, ...]:
    """Return the workflows of a file; raises ConfigurationError."""
    entries = document.content.get(KEY, [])
    if not isinstance(entries, list) or len(entries) > MOST_WORKFLOWS:
        raise document.error((KEY,), says.EXPECTED_WORKFLOWS.of(most=MOST_WORKFLOWS))
    workflows: dict[str, Workflow] = {}
    for number, entry in enumerate(entries):
        workflow = _workflow(document, number, entry, lines, shipped=shipped)
        if workflow.name in workflows:
            problem = says.WORKFLOW_TWICE.of(name=workflow.name)
            raise ConfigurationError(problem=problem, file=document.file, line=workflow.line)
        workflows[workflow.name] = workflow
    return tuple(workflows.values())


def _workflow(document: Document, number: int, content: object, lines: Sequence[str], *, shipped: bool) -> Workflow:
    here = (KEY, str(number))
    if not isinstance(content, dict):
        raise document.error(here, says.EXPECTED_WORKFLOW)
    _refuse_unknown(document, here, content)
    try:
        written = WrittenWorkflow.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        path = tuple(str(part) for part in first["loc"] if not str(part).startswith("function-"))
        raise document.error((*here, *path), f"{'.'.join(path)}: {sentence_of(first)}.") from None
    if written.name in RESERVED:
        raise document.error((*here, "name"), says.RESERVED_NAME.of(name=written.name))
    for index, step in enumerate(written.steps):
        place = (*here, "steps", str(index))
        if step.name in [earlier.name for earlier in written.steps[:index]]:
            raise document.error(place, says.STEP_TWICE.of(workflow=written.name, name=step.name))
        for key, problem, line in _problems(step, last=index == len(written.steps) - 1):
            at = document.line((*place, key)) or document.line(place) or 1
            offset = line - 1 + value_offset(lines, at)
            where = f"{written.name}.{step.name}.{key}"
            raise ConfigurationError(
                problem=says.UNDER.of(place=where, problem=problem), file=document.file, line=at + offset
            )
    return Workflow(
        name=written.name,
        about=_sentence(one_line(written.about, LONGEST_MANDATE)),
        steps=tuple(
            _step(step, document.line((*here, "steps", str(index))) or 1) for index, step in enumerate(written.steps)
        ),
        file=document.file or Path(),
        line=document.line(here) or 1,
        shipped=shipped,
    )


def _step(written: WrittenStep, line: int) -> Step:
    held = bool(written.tools or written.when)
    name = written.name.replace("_", " ")
    return Step(
        name=written.name,
        title=as_written(name) if written.title is None else written.title.sentence(),
        mandate=_sentence(one_line(written.mandate, LONGEST_MANDATE)),
        proof=Condition(written.proof.strip()),
        edge=written.edge,
        matcher=Matcher(text=written.tools or EVERYTHING) if held else None,
        condition=Condition(written.when.strip() or "true"),
        line=line,
    )


def _sentence(text: str) -> str:
    return text if not text or text.endswith((".", "!", "?")) else f"{text}."


def _refuse_unknown(document: Document, here: tuple[str, ...], content: Mapping[object, object]) -> None:
    _refuse_keys(document, here, content, WrittenWorkflow, says.NO_KEY_OF_WORKFLOW)
    steps = content.get("steps")
    for number, step in enumerate(steps if isinstance(steps, list) else ()):
        place = (*here, "steps", str(number))
        if not isinstance(step, dict):
            raise document.error(place, says.EXPECTED_STEP)
        _refuse_keys(document, place, step, WrittenStep, says.NO_KEY_OF_STEP)
        edge = step.get("edge")
        if isinstance(edge, str) and edge not in set(Edge):
            hint = nearest_name(edge, [member.value for member in Edge])
            problem = says.UNKNOWN_VALUE.of(key="edge", value=edge[:60], hint=hint)
            raise document.error((*place, "edge"), problem)


def _refuse_keys(
    document: Document, here: tuple[str, ...], content: Mapping[object, object], model: type[BaseModel], problem: Said
) -> None:
    for key in content:
        if str(key) not in model.model_fields:
            hint = nearest_name(str(key), model.model_fields)
            raise document.error((*here, str(key)), problem.of(key=str(key)[:60], hint=hint))


def _problems(step: WrittenStep, *, last: bool) -> Iterator[tuple[str, Said | str, int]]:
    """Yield what is wrong with a step beyond its keys: the key, a sentence, the line within its value."""
    if "{" in step.mandate or "}" in step.mandate:
        yield "mandate", says.NO_EXPRESSIONS_IN_MANDATE, 1
    unknown = problem_of(step.tools) if step.tools else None
    if unknown is not None:
        yield "tools", says.UNKNOWN_TOOL.of(name=unknown[0][:60], hint=nearest_name(*unknown)), 1
    for key, expression in (("proof", step.proof), ("when", step.when or "true")):
        wrong = misexpressed(expression, "BOOL")
        if wrong is not None:
            told = wrong.problem
            yield key, told if isinstance(told, Said) or told.endswith((".", "?")) else f"{told}.", wrong.line
    if last and step.edge is Edge.ASK:
        yield "edge", says.NOTHING_AFTER_LAST, 1
    if last and step.proof.strip() == "true" and step.edge is Edge.HARD:
        yield "proof", says.LAST_HOLDS_NOTHING, 1
