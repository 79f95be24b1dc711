"""What stands around each call of an exchange: whether it is what it says, by what was done before it and after."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import and_

from mama_bot.facts.ordinary_calls import is_ordinary_call, keeps_git
from mama_bot.facts.plain_commands import is_plain
from mama_bot.model import ToolKind, ToolRun


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStanding:
    """Whether a call is `ordinary`, or `plain` with nothing but the ordinary around it.

    `lasting` says that all after it is ordinary; for a deed of git that is
    `plain_for_git` edits of sources change nothing.
    """

    ordinary: bool = False
    plain: bool = False
    lasting: bool = False
    plain_for_git: bool = False


UNKNOWN = CallStanding()


def call_standings(calls: Sequence[ToolRun], *, ordinary: bool) -> list[CallStanding]:
    """Return how each call of an exchange stands; `ordinary` says so of what came before all of them."""
    usual = [is_ordinary_call(call) for call in calls]
    for_git = [keeps_git(call, ordinary=is_usual) for call, is_usual in zip(calls, usual, strict=True)]
    before, after = _all_after(usual[::-1])[::-1], _all_after(usual)
    git_before, git_after = _all_after(for_git[::-1])[::-1], _all_after(for_git)
    plain = [ordinary and _is_plain(call) for call in calls]
    return [
        CallStanding(
            ordinary=usual[at],
            plain=plain[at] and before[at] and after[at],
            lasting=after[at],
            plain_for_git=plain[at] and git_before[at] and git_after[at],
        )
        for at in range(len(calls))
    ]


def _all_after(ordinary: Sequence[bool]) -> list[bool]:
    """Return for each place whether all behind it are ordinary."""
    after = [*accumulate(reversed(ordinary), and_, initial=True)]
    return after[:-1][::-1]


def _is_plain(call: ToolRun) -> bool:
    return call.kind is ToolKind.SHELL and not call.background and is_plain(call.command, call.working_directory)
