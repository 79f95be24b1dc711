"""Records and claims that the tests of reconciliation start from."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from mama_bot.enforcement.claims.admissions import Admissions
from mama_bot.enforcement.claims.comparison import Comparison
from mama_bot.facts import facts_of
from mama_bot.model import (
    CheckedClaim,
    Claim,
    ClaimKind,
    Counts,
    FileFate,
    FileTouch,
    Look,
    LookKind,
    Run,
    RunEnd,
    RunKind,
    ToolRecord,
    ToolRun,
)
from mama_bot.tool_names import with_kind
from mama_bot.wording import Language

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
REPOSITORY = "/home/dev/repo"


class Recorded:
    """Builds a record, one call a minute."""

    def __init__(self, *, agent: str = "developer") -> None:
        self.agent = agent
        self.calls: list[ToolRun] = []

    @property
    def record(self) -> ToolRecord:
        return ToolRecord(runs=tuple(self.calls))

    def call(
        self,
        tool: str,
        arguments: dict[str, object],
        *,
        ran: Sequence[Run] = (),
        touched: Sequence[FileTouch] = (),
        ok: bool | None = True,
        output: str = "",
        agent: str = "",
        cwd: str = REPOSITORY,
    ) -> "Recorded":
        number = len(self.calls)
        shown = [arguments["file_path"]] if tool == "Read" else []
        begun = NOON + timedelta(minutes=number)
        self.calls.append(
            with_kind(
                ToolRun(
                    id=f"run-{number}",
                    tool=tool,
                    arguments=json.dumps(arguments),
                    working_directory=cwd,
                    started_at=begun,
                    ended_at=None if ok is None else begun,
                    ok=ok,
                    exit_status=None if ok is None else int(not ok),
                    output_head=output,
                    agent=agent or self.agent,
                    ran=tuple(ran),
                    touched=tuple(touched),
                    looked=tuple(Look(kind=LookKind.FILE, subject=str(path), state="shown") for path in shown),
                )
            )
        )
        return self

    def ran(
        self,
        command: str,
        kind: RunKind = RunKind.TESTS,
        end: RunEnd = RunEnd.PASSED,
        *,
        tool: str = "",
        counts: Counts | None = None,
        selected: tuple[str, ...] = (),
        directory: str = "",
        target: str = "",
        dry: bool = False,
        output: str = "",
        agent: str = "",
    ) -> "Recorded":
        run = Run(
            kind=kind,
            tool=tool or command.split(maxsplit=1)[0],
            command=command,
            end=end,
            directory=directory,
            selected=selected,
            target=target,
            dry=dry,
            counts=counts or Counts(),
        )
        ok = None if end is RunEnd.OPEN else end is not RunEnd.FAILED
        return self.call("Bash", {"command": command}, ran=(run,), ok=ok, output=output, agent=agent)

    def edited(self, path: str, fate: FileFate = FileFate.CHANGED, *, agent: str = "") -> "Recorded":
        touch = FileTouch(path=path, fate=fate)
        return self.call("Edit", {"file_path": f"{REPOSITORY}/{path}"}, touched=(touch,), agent=agent)

    def shell(self, command: str, *, output: str = "", ok: bool = True, touched: Sequence[str] = ()) -> "Recorded":
        found = [FileTouch(path=path, fate=FileFate.CHANGED) for path in touched]
        return self.call("Bash", {"command": command}, touched=found, ok=ok, output=output)


def claim(
    kind: ClaimKind = ClaimKind.TESTS,
    text: str = "the tests pass",
    *,
    counts: Counts | None = None,
    total: int | None = None,
    fails: bool = False,
    subjects: tuple[str, ...] = (),
    tool: str = "",
    whole: bool = False,
    part: bool = False,
) -> Claim:
    return Claim(
        kind=kind,
        text=text,
        start=0,
        end=len(text),
        counts=counts or Counts(),
        total=total,
        fails=fails,
        subjects=subjects,
        tool=tool,
        whole=whole,
        part=part,
    )


def verdict(
    recorded: Recorded, compared: Claim, *, told: Sequence[ToolRun] = (), admissions: Admissions | None = None
) -> tuple[str, str]:
    """Return the state and the reason that a claim gets, as their values."""
    checked = answer(recorded, compared, told=told, admissions=admissions)
    return checked.state.value, checked.reason.value


def answer(
    recorded: Recorded,
    compared: Claim,
    *,
    told: Sequence[ToolRun] = (),
    admissions: Admissions | None = None,
    language: Language = Language.ENGLISH,
) -> CheckedClaim:
    facts = facts_of(recorded.record, agent=recorded.agent, told=told)
    return Comparison(facts, admissions=admissions or Admissions(), language=language).of(compared)
