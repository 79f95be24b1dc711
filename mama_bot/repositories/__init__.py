"""Repositories: what git says of a work tree, asked so that nothing configured there runs."""

from mama_bot.repositories.changes import GitChanges, snapshot
from mama_bot.repositories.line_counts import GitLineCounts
from mama_bot.repositories.lookups import WorkspaceStandings
from mama_bot.repositories.present import WorkspaceFiles

__all__ = ["GitChanges", "GitLineCounts", "WorkspaceFiles", "WorkspaceStandings", "snapshot"]
