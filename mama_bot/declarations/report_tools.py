"""The tools with which agents declare: `report`, and `submit_review` for reviewers."""

from collections.abc import Mapping, Sequence
from typing import Any

from mama_bot.declarations.arguments import ReportArguments, ReviewArguments, declaration_of
from mama_bot.model import Declaration, DeclarationTool, Misdeclared
from mama_bot.tool_names import REPORT, SUBMIT_REVIEW

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
        "you ran and the files that you read yourself as evidence, and each problem as a finding."
    ),
}


class ReportTools:
    """The `Declarations` of this release."""

    @property
    def tools(self) -> Sequence[DeclarationTool]:
        """See `Declarations.tools`."""
        return [
            DeclarationTool(name=name, description=_TOLD[name], arguments=kind.model_json_schema())
            for name, kind in _KINDS.items()
        ]

    def read(self, tool: str, arguments: Mapping[str, Any]) -> Declaration | Misdeclared:
        """See `Declarations.read`."""
        return declaration_of(_KINDS[tool], arguments)
