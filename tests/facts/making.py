"""Facts by hand: moments are minutes of one morning."""

from datetime import UTC, datetime, timedelta

from mama_bot.model import (
    CheckFact,
    CommandFact,
    Counts,
    DeedFact,
    FileFact,
    FileFate,
    Freshness,
    LookFact,
    LookKind,
    RunEnd,
    RunKind,
    Witness,
)

MORNING = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def witness(minute: int, *, call: str = "", own: bool = True, age: int = 0) -> Witness:
    return Witness(call_id=call or f"call-{minute}", at=MORNING + timedelta(minutes=minute), own=own, age=age)


def check(
    minute: int,
    end: RunEnd = RunEnd.PASSED,
    *,
    kind: RunKind = RunKind.TESTS,
    tool: str = "pytest",
    counts: Counts | None = None,
    place: str = "",
    selected: tuple[str, ...] = (),
    hook: bool = False,
    freshness: Freshness = Freshness.FRESH,
    age: int = 0,
    own: bool = True,
    call: str = "",
) -> CheckFact:
    return CheckFact(
        kind=kind,
        tool=tool,
        command=tool,
        end=end,
        counts=counts or Counts(),
        place=place,
        selected=selected,
        hook=hook,
        freshness=freshness,
        witness=witness(minute, call=call, own=own, age=age),
    )


def file(
    path: str,
    minute: int,
    *,
    fate: FileFate = FileFate.CHANGED,
    lines: tuple[int, int] | None = None,
    undone: bool = False,
    age: int = 0,
) -> FileFact:
    added, removed = lines or (None, None)
    return FileFact(
        path=path,
        fate=fate,
        fates=frozenset({fate}),
        undone=undone,
        added=added,
        removed=removed,
        witness=witness(minute, age=age),
    )


def deed(
    kind: RunKind, minute: int, end: RunEnd = RunEnd.PASSED, *, target: str = "", dry: bool = False, age: int = 0
) -> DeedFact:
    return DeedFact(
        kind=kind, tool=kind.value, command="", end=end, target=target, dry=dry, witness=witness(minute, age=age)
    )


def read(path: str, minute: int) -> LookFact:
    return LookFact(kind=LookKind.FILE, subject=path, state="shown", witness=witness(minute))


def ran(program: str, minute: int, *, failed: tuple[str, ...] = (), erred: bool = False) -> CommandFact:
    end = RunEnd.FAILED if failed else RunEnd.PASSED
    return CommandFact(
        command=program, end=end, programs=(program,), failed=failed, erred=erred, witness=witness(minute)
    )
