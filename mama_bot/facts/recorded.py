"""Facts from a record: every call read once, in order; nothing of a reply is looked at."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from mama_bot.facts.call_standings import UNKNOWN, CallStanding, call_standings
from mama_bot.facts.command_lines import (
    end_of_command,
    failed_programs,
    printed_a_crash,
    printed_warnings,
    programs_in,
    surely_looks,
)
from mama_bot.facts.conversation import latest_checks, without_calls
from mama_bot.facts.edits import CodeEdit, edits_in, freshness, is_own_runner, own_changes, put_back
from mama_bot.facts.later_results import later_results
from mama_bot.facts.measured_deeds import end_of_deed, target_of_deed
from mama_bot.facts.own_runners import WrittenSoFar, own_runner
from mama_bot.facts.places import is_below, joined
from mama_bot.facts.unknown_calls import is_opaque, is_unknown, runs_unknown
from mama_bot.model import (
    CHECK_KINDS,
    DEED_KINDS,
    FILE_WRITERS,
    NO_COUNTS,
    CheckFact,
    CommandFact,
    DeedFact,
    Facts,
    FileFact,
    FileFate,
    Freshness,
    GitRule,
    LookFact,
    Run,
    RunEnd,
    RunKind,
    ToolKind,
    ToolRecord,
    ToolRun,
    TreeChange,
    Turn,
    Witness,
    WorkTreeState,
)

F = TypeVar("F", CheckFact, FileFact, DeedFact, LookFact, CommandFact)
MOST = 300  # of each kind of fact: what came before them says nothing of the end
MOST_FIGURES = 4_000
COMMAND_CHARACTERS = 300
CHANGES_NOTHING = frozenset((RunKind.TESTS, RunKind.BUILD, RunKind.TYPES))  # of code: linters and formatters may
CARRIED_OUT = frozenset((RunKind.PUBLISH, RunKind.DEPLOY))  # by whatever a project has for it
TELLING = frozenset((*CHECK_KINDS, RunKind.COMMIT, RunKind.PUSH, RunKind.BENCHMARK, RunKind.DIFF))
MOST_DIGITS = 7
NUMBERS = bytes(code if chr(code) in "0123456789,." else 32 for code in range(256))  # 1,351 or 0.048
SILENT = frozenset(
    (ToolKind.READ, ToolKind.LIST, ToolKind.SEARCH, ToolKind.FETCH, ToolKind.PLAN, ToolKind.STOP, ToolKind.TEAM)
)


@dataclass(frozen=True, slots=True)
class _Call:
    """A call with its place in the record and whose it is."""

    number: int
    call: ToolRun
    own: bool
    witness: Witness
    standing: CallStanding = UNKNOWN


def facts_of_turn(record: ToolRecord, turn: Turn) -> Facts:
    """Return the facts of a turn, by its record so far."""
    reviewed = tuple(TreeChange(path=path, fate=FileFate.CHANGED) for path in turn.under_review)
    return facts_of(
        record,
        agent=turn.persona,
        told=turn.told,
        earlier=turn.earlier,
        exchange=turn.message_id,
        written=reviewed,
    )


def facts_of(
    record: ToolRecord,
    *,
    agent: str,
    told: Sequence[ToolRun] = (),
    earlier: Facts | None = None,
    exchange: str = "",
    written: Sequence[TreeChange] = (),
) -> Facts:
    """Return the facts of a turn of `agent`, with those of the turns before (`earlier`) one turn older.

    `told` are calls of others whose results the turn reports: they count as its own. `written` is what others changed
    in the same `exchange`.
    """
    runs = tuple(run for run in (*told, *record.work) if not run.refused)
    ids = frozenset(run.id for run in told)
    calls = _calls(runs, ids, agent)
    edits = edits_in(runs, record.left)
    stands = states_at_stop(record)
    ordinary = not written
    if earlier is not None and exchange and earlier.exchange == exchange:
        written = (*earlier.written, *written)
        ordinary = ordinary and earlier.ordinary
    calls = _weighed(calls, ordinary=ordinary)
    own = [call for call in calls if call.own]
    wrote = WrittenSoFar(written)
    checks = tuple(_checks(calls, edits, later_results(runs), stands, wrote))
    facts = Facts(
        recorded=record.complete,
        calls=len(runs),
        dropped=record.dropped,
        checks=latest_checks(checks, MOST),
        files=tuple(_files(calls))[-MOST:],
        deeds=tuple(_deeds(calls, written))[-MOST:],
        looks=tuple(_looks(calls))[-MOST:],
        commands=tuple(_commands(own))[-MOST:],
        opaque=tuple(call.call.command or call.call.tool for call in own if is_opaque(call.call))[-MOST:],
        background=tuple(call.call.command for call in own if _goes_on(call.call))[-MOST:],
        wrote=any(not touch.path for call in own for touch in call.call.touched),
        unknown=tuple(call.witness for call in own if is_unknown(call.call))[-MOST:],
        gathers=any(call.call.kind is ToolKind.SHELL and runs_unknown(call.call.command) for call in own),
        figures=frozenset(_figures(calls)),
        tree=next(reversed([*stands.values()]), None),
        rules=tuple(rule for rule in GitRule if any(rule in tree.rules for tree in record.left)),
        written=wrote.changes(),
        exchange=exchange,
        ordinary=ordinary and all(call.standing.ordinary for call in calls),
    )
    if earlier is None:
        return replace(facts, from_beginning=False)
    return with_earlier(without_calls(earlier, told, agent=agent), facts, edits, told=ids)


def states_at_stop(record: ToolRecord) -> Mapping[str, WorkTreeState]:
    """Return how each work tree stands, by where it begins, the last one last: as it was left, or as the last call
    left it."""
    states: dict[str, WorkTreeState] = {}
    for state in (*(run.after for run in record.runs), *(tree.state for tree in record.left)):
        if state is not None:
            states.pop(state.root, None)
            states[state.root] = state
    return states


def with_earlier(earlier: Facts, facts: Facts, edits: Sequence[CodeEdit], *, told: Collection[str] = ()) -> Facts:
    """Return the facts of a turn with those of the turns before it, which the edits of this turn may make stale.

    Of the calls `told` some are older than what the persona did since.
    """
    last = {file.path: file for file in (*map(_older, earlier.files), *facts.files)}
    stands = {} if facts.tree is None else {facts.tree.root: facts.tree}
    return replace(
        facts,
        from_beginning=earlier.from_beginning and earlier.recorded,
        reviews=earlier.reviews,
        ci=earlier.ci,
        earlier_calls=earlier.calls + earlier.earlier_calls,
        dropped=facts.dropped + earlier.dropped,
        checks=latest_checks(
            (*(_overtaken(_older(check), edits, told, stands) for check in earlier.checks), *facts.checks), MOST
        ),
        files=tuple(last.values())[-MOST:],
        deeds=(*map(_older, earlier.deeds), *facts.deeds)[-MOST:],
        looks=(*map(_older, earlier.looks), *facts.looks)[-MOST:],
        commands=(*map(_older, earlier.commands), *facts.commands)[-MOST:],
        opaque=(*earlier.opaque, *facts.opaque)[-MOST:],
        wrote=facts.wrote or earlier.wrote,
        gathers=facts.gathers or earlier.gathers,
        figures=facts.figures | earlier.figures,
        tree=facts.tree or earlier.tree,
    )


def _older(fact: F) -> F:
    return replace(fact, witness=replace(fact.witness, age=fact.witness.age + 1))


def _overtaken(
    check: CheckFact, edits: Sequence[CodeEdit], told: Collection[str], stands: Mapping[str, WorkTreeState]
) -> CheckFact:
    if told:
        edits = [edit for edit in edits if edit.call.id not in told or edit.call.started_at >= check.witness.at]
    run = Run(kind=check.kind, tool=check.tool, command=check.command, end=check.end, selected=check.selected)
    fresh, path = freshness(run, check.place, (-1, 0), edits)
    if fresh is Freshness.FRESH and _is_same(check.left, stands) is False:
        fresh = Freshness.UNKNOWN  # others work there too
    if edits:
        check = replace(check, plain=False)
    order = list(Freshness)
    if order.index(fresh) <= order.index(check.freshness):
        return check
    return replace(check, freshness=fresh, edited=path)


def _calls(runs: Sequence[ToolRun], told: Collection[str], agent: str) -> list[_Call]:
    calls: list[_Call] = []
    for number, run in enumerate(runs):
        own = run.id in told or _is_own(run.agent, agent)
        witness = Witness(call_id=run.id, agent=run.agent, at=run.ended_at or run.started_at, own=own)
        calls.append(_Call(number, run, own, witness))
    return calls


def _weighed(calls: Sequence[_Call], *, ordinary: bool) -> list[_Call]:
    """Return calls with whether they are plain ones, with nothing but the ordinary before and after them.

    `ordinary` says so of what came before all of them.
    """
    every = call_standings([call.call for call in calls], ordinary=ordinary)
    return [replace(call, standing=standing) for call, standing in zip(calls, every, strict=True)]


def _is_own(name: str, agent: str) -> bool:
    """Return whether a call is the agent's own, or of a subagent of its."""
    owner = name.partition("/")[0]
    return not owner or owner == agent


def _checks(
    calls: Sequence[_Call],
    edits: Sequence[CodeEdit],
    later: Mapping[tuple[int, int], Run],
    stands: Mapping[str, WorkTreeState],
    wrote: WrittenSoFar,
) -> Iterator[CheckFact]:
    """Yield the checks of all calls, and note in `wrote` what these write."""
    for call in calls:
        for position, told in enumerate(call.call.ran):
            run = later.get((call.number, position), told)
            if run.kind in DEED_KINDS:
                continue
            place = _place(run)
            forged = run.end is RunEnd.PASSED and is_own_runner(run, (call.number, position), edits)
            same = _is_same(call.call.after, stands)
            fresh, edited = freshness(run, place, (call.number, position), edits, same=same is True)
            if same is False and fresh is Freshness.FRESH and not _is_explained(call.number, calls, edits):
                fresh = Freshness.UNKNOWN
            if (seen := put_back(call.call, position)) and fresh is not Freshness.STALE:
                fresh, edited = Freshness.STALE, seen
            yield CheckFact(
                kind=run.kind,
                tool=run.tool,
                command=run.command,
                end=RunEnd.MASKED if forged else run.end,
                counts=NO_COUNTS if forged else run.counts,
                place=place,
                selected=run.selected,
                hook=run.hook,
                freshness=fresh,
                edited=edited,
                left=call.call.after,
                changed=own_changes(call.call) if run.kind in CHANGES_NOTHING else (),
                runner=own_runner(run, call.call, position, wrote),
                plain=call.standing.plain and fresh is Freshness.FRESH and is_below(place, ""),
                witness=call.witness,
            )
        wrote.add(call.call)


def _is_same(state: WorkTreeState | None, stands: Mapping[str, WorkTreeState]) -> bool | None:
    """Return whether a work tree stands as it was then; None where nobody knows."""
    now = None if state is None else stands.get(state.root)
    return None if state is None or now is None or not (state.tree and now.tree) else state.tree == now.tree


def _is_explained(number: int, calls: Sequence[_Call], edits: Sequence[CodeEdit]) -> bool:
    """Return whether something that came after a call is known to have changed the work tree."""
    return any(call.call.changed for call in calls[number + 1 :]) or any(edit.at[0] >= number for edit in edits)


def _place(run: Run) -> str:
    """Return the directory of a run, or where all that it selects lies, outside of the workspace."""
    directory = joined("", run.directory)
    outside = [joined(directory, path) for path in run.selected if path.startswith(("../", "/"))]
    if outside and len(outside) == len(run.selected) and not any(is_below(path, "") for path in outside):
        return outside[0]
    return directory


def _deeds(calls: Sequence[_Call], written: Sequence[TreeChange]) -> Iterator[DeedFact]:
    wrote = WrittenSoFar(written)
    for call in calls:
        for position, run in enumerate(call.call.ran):
            if run.kind in DEED_KINDS:
                yield DeedFact(
                    kind=run.kind,
                    tool=run.tool,
                    command=run.command,
                    end=end_of_deed(run, call.call),
                    target=target_of_deed(run, call.call),
                    place=joined("", run.directory),
                    dry=run.dry,
                    runner=own_runner(run, call.call, position, wrote) if run.kind in CARRIED_OUT else "",
                    plain=call.standing.plain_for_git
                    and run.end is RunEnd.PASSED
                    and is_below(joined("", run.directory), ""),
                    witness=call.witness,
                )
        wrote.add(call.call)


def _files(calls: Sequence[_Call]) -> Iterator[FileFact]:
    """Yield each file that was written or removed, by its last touch, with all its fates."""
    files: dict[str, FileFact] = {}
    for call in calls:
        for touch in call.call.touched:
            path = joined("", touch.path) if touch.path else ""
            if not path:
                continue
            before = files.pop(path, None)
            fates = before.fates if before is not None else frozenset[FileFate]()
            same = call.call.changed is not None and not any(
                change.path in ("", touch.path) for change in call.call.changed
            )
            created = touch.fate is FileFate.CHANGED and before is not None and before.fate is FileFate.CREATED
            files[path] = FileFact(
                path=path,
                fate=FileFate.CREATED if created else touch.fate,
                fates=fates | {touch.fate},
                unmoved=same and (before is None or before.unmoved),
                plain=call.standing.lasting and call.call.kind in FILE_WRITERS and is_below(path, ""),
                witness=call.witness,
            )
    back = _put_back(calls)
    yield from (replace(file, undone=True) if path in back else file for path, file in files.items())


def _put_back(calls: Sequence[_Call]) -> frozenset[str]:
    """Return the files that calls changed in work trees that stand at the end as they did at the beginning."""
    first: dict[str, str] = {}
    last: dict[str, str] = {}
    for call in calls:
        if call.call.before is not None and call.call.after is not None:
            first.setdefault(call.call.before.root, call.call.before.tree)
            last[call.call.after.root] = call.call.after.tree
    # Whose root a path belongs to is not told: so all have to stand as they did.
    if not first or first != last or not all(first.values()):
        return frozenset()
    return frozenset(joined("", change.path) for call in calls for change in call.call.changed or () if change.path)


def _looks(calls: Sequence[_Call]) -> Iterator[LookFact]:
    for call in calls:
        for look in call.call.looked:
            yield LookFact(kind=look.kind, subject=look.subject, state=look.state, witness=call.witness)


def _commands(calls: Sequence[_Call]) -> Iterator[CommandFact]:
    for known in calls:
        call = known.call
        if call.command:
            # What it ran that is read tells of itself.
            programs = () if any(run.kind in TELLING for run in call.ran) else programs_in(call.command)
            yield CommandFact(
                command=call.command[:COMMAND_CHARACTERS],
                end=end_of_command(call),
                programs=programs,
                failed=failed_programs(call) if programs else (),
                erred=bool(programs) and printed_a_crash(call),
                warned=not surely_looks(call.command) and printed_warnings(call),
                looks=surely_looks(call.command),
                witness=known.witness,
            )


def _goes_on(call: ToolRun) -> bool:
    return call.background or any(run.end is RunEnd.OPEN for run in call.ran)


def _figures(calls: Sequence[_Call]) -> Iterator[float]:
    """Yield the numbers that the outputs of the agent's calls showed, as far as they were kept."""
    count = 0
    for call in reversed(calls):
        if not call.own or call.call.kind in SILENT:
            continue
        for text in (call.call.output_tail, call.call.output_head):
            # Everything else becomes a space: an expression would take a call of its own for each number.
            for number in text.encode("ascii", "replace").translate(NUMBERS).split():
                digits = number.replace(b",", b"").rstrip(b".")
                if digits and len(digits) <= MOST_DIGITS and digits.replace(b".", b"", 1).isdigit():
                    count += 1
                    yield float(digits)
                if count >= MOST_FIGURES:
                    return
