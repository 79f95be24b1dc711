"""The enforcement chain: every reply is judged before it is recorded or posted."""

import gc
from collections.abc import Mapping, Sequence
from functools import partial

from mama_bot.config import DelegationCheckSettings, EnforcementSettings, Mode
from mama_bot.enforcement.approval.learned import read_weights
from mama_bot.enforcement.approval.stage import ReviewGate
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.chain import Chain, ChainLink, Stage
from mama_bot.enforcement.claims.stage import ClaimCheck
from mama_bot.enforcement.claims.vocabulary import vocabulary
from mama_bot.enforcement.completion.marks import marks
from mama_bot.enforcement.completion.stage import TodoTracker
from mama_bot.enforcement.delegations.handed_on import HandedOn
from mama_bot.enforcement.delegations.stage import DelegationCheck
from mama_bot.enforcement.praise.stage import ResponseValidator
from mama_bot.enforcement.scope.stage import ScopeGuard
from mama_bot.enforcement.stage_lexicon import lexicon
from mama_bot.model import AgentPersona
from mama_bot.protocols import ChangedFiles, Clock, PresentFiles, Standings

__all__ = ["Case", "Chain", "ChainLink", "Stage", "build_chain", "handed_on_judge", "read_word_lists"]


def read_word_lists(settings: EnforcementSettings) -> None:
    """Read the word lists and learned weights, which takes half a second: for a thread, so that no draft waits.

    They stay: who walks all of them for garbage, again and again, stops every thread for a tenth of a second.
    """
    lexicon(settings.words.by_kind).prepare()
    vocabulary()
    marks()
    read_weights()
    gc.freeze()


def handed_on_judge(settings: EnforcementSettings, team: Mapping[str, AgentPersona] | None) -> HandedOn | None:
    """Return what judges delegations by these settings; None where nothing is enforced.

    Raises ConfigurationError for a configured expression that is no RE2.
    """
    if not settings.enabled or settings.mode is not Mode.ENFORCE:
        return None
    words, validator, tracker = settings.words.by_kind, settings.response_validator, settings.todo_tracker
    strict = validator.enabled and validator.mode is Mode.ENFORCE
    return HandedOn(
        strict=ResponseValidator(settings=validator, words=words) if strict else None,
        asks_for_outcome=tracker.enabled and tracker.mode is Mode.ENFORCE and tracker.ask_for_outcome,
        case_of=partial(Case, lexicon=lexicon(words), team=team),
    )


def build_chain(
    *,
    settings: EnforcementSettings,
    changed_files: ChangedFiles,
    clock: Clock,
    further: Sequence[ChainLink] = (),
    present_files: PresentFiles | None = None,
    standings: Standings | None = None,
    team: Mapping[str, AgentPersona] | None = None,
) -> Chain:
    """Return the chain: the stages that judge every reply in their order, and last its delegations.

    What `further` stages measure of the work stands before whatever a record shows of it: they come second.

    `present_files` knows which changed files are there, `standings` what the disk and git say of claims; without a
    `team` no delegations are judged.

    Raises ConfigurationError for a configured expression that is no RE2.
    """
    words = settings.words.by_kind
    validator, gate, guard = settings.response_validator, settings.review_gate, settings.scope_guard
    tracker, check = settings.todo_tracker, settings.claim_check
    todo = TodoTracker(settings=tracker, changed_files=changed_files, present_files=present_files)
    stages = (
        ChainLink(stage=ResponseValidator(settings=validator, words=words), settings=validator),
        *further,
        ChainLink(stage=ReviewGate(settings=gate, words=words), settings=gate),
        ChainLink(stage=ScopeGuard(settings=guard, changed_files=changed_files), settings=guard),
        ChainLink(stage=todo, settings=tracker),
        ChainLink(stage=ClaimCheck(settings=check), settings=check),
    )
    check_of_delegations = DelegationCheck(handed_on_judge(settings, team))
    last = () if team is None else (ChainLink(stage=check_of_delegations, settings=DelegationCheckSettings()),)
    return Chain(
        stages=(*stages, *last),
        settings=settings,
        clock=clock,
        standings=standings,
        case_of=partial(Case, lexicon=lexicon(words), team=team),
    )
