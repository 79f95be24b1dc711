"""The tools with which agents declare: `report`, and `submit_review` for reviewers."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from mama_bot.declarations.arguments import ReportArguments, ReviewArguments, declaration_of
from mama_bot.model import Declaration, Misdeclared
from mama_bot.team_tools import Caller, RegisteredTool
from mama_bot.tool_names import REPORT, SUBMIT_REVIEW

TAKEN = "Declared. It stands on the receipt of your reply as far as the record shows it."
_KINDS: Mapping[str, type[ReportArguments | ReviewArguments]] = {
    REPORT: ReportArguments,
    SUBMIT_REVIEW: ReviewArguments,
}
_TOLD = {
    REPORT: (
        "Declare what came out of your work, once, before your reply: tests and other checks with their tool and "
        "figures, files by their paths, commits by their hashes. Each outcome is compared with the record of your "
        "tool calls and stands on the receipt; a later call replaces the one before."
    ),
    SUBMIT_REVIEW: (
        "Submit your verdict on the work that you review, before your reply: approve or reject, with the checks that "
        "you ran and the files that you read yourself as `checked`, and each problem as one of the `issues`: it "
        "becomes an item of the board."
    ),
}


def declaring_tools() -> Sequence[RegisteredTool[Any]]:
    """Return the tools; a call does nothing, since what it declares stands in the record of the calls."""
    return [
        RegisteredTool(name=name, description=_TOLD[name], arguments=kind, run=_taken) for name, kind in _KINDS.items()
    ]


class ReportTools:
    """The `Declarations` of this release."""

    def read(self, tool: str, arguments: Mapping[str, Any]) -> Declaration | Misdeclared:
        """See `Declarations.read`."""
        return declaration_of(_KINDS[tool], arguments)


async def _taken(arguments: BaseModel, caller: Caller) -> str:
    del arguments, caller
    return TAKEN
