"""What rules remember of a session: from one ended call to the next state."""

from mama_bot.model import (
    MOST_PATHS,
    CallReading,
    ChecksState,
    FileFate,
    FileTouch,
    Look,
    LookKind,
    RuleState,
    Run,
    RunEnd,
    RunKind,
    ToolEnded,
)
from mama_bot.rules.path_values import Place
from mama_bot.rules.session_progress import after_call, counted
from mama_bot.tool_names import call_of

PLACE = Place(roots=("/work",))


def ended(tool: str, *, ok: bool = True, output: str = "", **arguments: str) -> ToolEnded:
    return ToolEnded(call=call_of(tool, arguments), ok=ok, output=output)


def run(end: RunEnd, tool: str = "pytest") -> CallReading:
    return CallReading(ran=(Run(kind=RunKind.TESTS, tool=tool, command=tool, end=end),))


def after(state: RuleState, *steps: tuple[ToolEnded, CallReading]) -> RuleState:
    for moment, reading in steps:
        state = after_call(state, moment, reading, PLACE)
    return state


BASH = ended("Bash", command="x", output="y")
EDIT = ended("Edit", file_path="/work/a.py", old_string="a", new_string="b")


def test_what_was_read_and_written_is_known_afterwards() -> None:
    touched = CallReading(touched=(FileTouch(path="made.txt", fate=FileFate.CREATED),))
    shown = CallReading(looked=(Look(kind=LookKind.FILE, subject="b.py", state="shown"),))
    read = ended("Read", file_path="a.py")
    state = after(RuleState(), (read, CallReading()), (BASH, touched), (BASH, shown))
    assert state.shown == ("/work/a.py", "/work/made.txt", "/work/b.py")
    assert state.written == ("/work/made.txt",)
    assert (state.looks, state.edits) == (3, 1)


def test_what_failed_was_neither_read_nor_written() -> None:
    state = after(RuleState(), (ended("Read", ok=False, file_path="a.py", output="no"), CallReading()))
    assert (state.shown, state.looks) == ((), 0)


def test_a_check_that_failed_stays_failed_until_it_passes() -> None:
    failed = after(RuleState(), (BASH, run(RunEnd.FAILED)))
    assert failed.checks is ChecksState.FAILED
    assert after(failed, (EDIT, CallReading())).checks is ChecksState.FAILED
    assert after(failed, (BASH, run(RunEnd.PASSED, "ruff"))).checks is ChecksState.FAILED
    assert after(failed, (BASH, run(RunEnd.PASSED))).checks is ChecksState.PASSED


def test_a_check_that_passed_before_an_edit_is_stale() -> None:
    assert after(RuleState(), (BASH, run(RunEnd.PASSED)), (EDIT, CallReading())).checks is ChecksState.STALE


def test_the_same_call_with_the_same_error_is_counted_in_a_row() -> None:
    failure, other = (ended("Bash", ok=False, command="make", output=text) for text in ("no rule", "no file"))
    nothing = CallReading()
    assert after(RuleState(), *[(failure, nothing)] * 3).strikes == 3
    assert after(RuleState(), (failure, nothing), (other, nothing)).strikes == 1
    assert after(RuleState(), (failure, nothing), (BASH, nothing), (failure, nothing)).strikes == 1


def test_strikes_and_counters_are_cleared_by_name() -> None:
    before = RuleState(strikes=3, failure="x", counters=(("seen", 2), ("kept", 1)))
    state = counted(before, ["kept"], ["strikes", "seen"])
    assert (state.strikes, state.failure, state.counters) == (0, "", (("kept", 2),))


def test_what_is_remembered_is_bounded() -> None:
    state = after(RuleState(), *[(ended("Read", file_path=f"{n}.py"), CallReading()) for n in range(MOST_PATHS + 9)])
    assert len(state.shown) == MOST_PATHS
    assert state.shown[-1] == f"/work/{MOST_PATHS + 8}.py"
