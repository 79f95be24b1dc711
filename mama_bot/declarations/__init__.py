"""What an agent declares, read once where it comes in: arguments of a tool, or a fenced block of its reply."""

from mama_bot.declarations.report_blocks import with_declaration
from mama_bot.declarations.report_tools import ReportTools, declaring_tools

__all__ = ["ReportTools", "declaring_tools", "with_declaration"]
