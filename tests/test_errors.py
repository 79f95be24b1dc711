"""Each error of the package has one decision, and the table of errors in the documents says which: both ways."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import mama_bot
from mama_bot.errors import ErrorDecision, MamaBotError

TABLES = (Path(__file__).parents[1] / "docs" / "errors.md").read_text(encoding="utf-8")


def raised_here() -> set[type[BaseException]]:
    """The exceptions that the package defines, wherever."""
    for module in pkgutil.walk_packages(mama_bot.__path__, "mama_bot."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    return {error for error in _below(BaseException) if error.__module__.startswith("mama_bot.")} - {MamaBotError}


def _below(kind: type[BaseException]) -> Iterator[type[BaseException]]:
    for further in kind.__subclasses__():
        yield further
        yield from _below(further)


def rows(heading: str) -> dict[str, str]:
    """The first two columns of a table, whose first heading is this."""
    lines = TABLES.partition(f"\n| {heading} |")[2].partition("\n\n")[0].splitlines()[2:]
    cells = [line.split("|") for line in lines]
    assert len(cells) == len({row[1] for row in cells}), "a row stands there twice"
    return {row[1].strip(" `"): row[2].strip(" `") for row in cells}


def test_the_table_of_errors_is_that_of_the_code() -> None:
    ours = {error for error in raised_here() if issubclass(error, MamaBotError)}
    assert rows("error") == {error.__name__: error.decision.value for error in ours}


def test_any_other_exception_stands_with_the_room_that_it_does_not_leave() -> None:
    others = {error for error in raised_here() if not issubclass(error, MamaBotError)}
    assert set(rows("exception")) == {error.__name__ for error in others}
    for error in others:
        assert f"{error.__module__.replace('.', '/')}/".startswith(f"mama_bot/{rows('exception')[error.__name__]}/")


def test_every_decision_is_explained_and_made() -> None:
    decisions = {decision.value for decision in ErrorDecision}
    assert set(rows("decision")) == decisions
    assert set(rows("error").values()) == decisions
