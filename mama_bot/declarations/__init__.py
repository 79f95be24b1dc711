"""What an agent declares, read once where it comes in: arguments of a tool, or a fenced block of its reply."""

from mama_bot.declarations.report_blocks import with_declaration
from mama_bot.declarations.report_tools import ReportTools

__all__ = ["ReportTools", "with_declaration"]
