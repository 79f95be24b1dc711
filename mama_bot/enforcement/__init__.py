"""The enforcement chain: every reply is judged before it is recorded or posted."""

from collections.abc import Callable, Sequence

from mama_bot.config import EnforcementSettings
from mama_bot.enforcement.approval.stage import ReviewGate
from mama_bot.enforcement.chain import Chain, ChainLink
from mama_bot.enforcement.claims.stage import ClaimCheck
from mama_bot.enforcement.completion.stage import PresentFiles, TodoTracker, writes_directive
from mama_bot.enforcement.praise.stage import ResponseValidator
from mama_bot.enforcement.scope.stage import ChangedFiles, ScopeGuard
from mama_bot.model import Draft, Turn
from mama_bot.protocols import Clock

__all__ = ["Chain", "ChainLink", "ChangedFiles", "build_chain"]


def build_chain(
    *,
    settings: EnforcementSettings,
    changed_files: ChangedFiles,
    clock: Clock,
    further: Sequence[ChainLink] = (),
    present_files: PresentFiles | None = None,
    delegates: Callable[[Draft, Turn], bool] = writes_directive,
) -> Chain:
    """The five stages in their order, then `further` ones.

    `present_files` knows which changed files are there, `delegates` whether a draft hands work on.

    Raises ConfigurationError for a configured expression that is no RE2.
    """
    words = settings.words.by_kind
    stages = (
        ChainLink(
            stage=ResponseValidator(settings=settings.response_validator, words=words),
            settings=settings.response_validator,
        ),
        ChainLink(stage=ReviewGate(settings=settings.review_gate, words=words), settings=settings.review_gate),
        ChainLink(
            stage=ScopeGuard(settings=settings.scope_guard, changed_files=changed_files), settings=settings.scope_guard
        ),
        ChainLink(
            stage=TodoTracker(
                settings=settings.todo_tracker,
                changed_files=changed_files,
                present_files=present_files,
                delegates=delegates,
            ),
            settings=settings.todo_tracker,
        ),
        ChainLink(stage=ClaimCheck(settings=settings.claim_check, words=words), settings=settings.claim_check),
    )
    return Chain(stages=(*stages, *further), settings=settings, clock=clock)
