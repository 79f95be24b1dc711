"""Who ran what a claim rests on: the service, the agent, or the agent by a runner of its own."""

from collections.abc import Sequence
from dataclasses import replace

from mama_bot.enforcement.claims.check_comparison import CHECKS
from mama_bot.enforcement.claims.comparison import DEEDS, FATES
from mama_bot.enforcement.claims.explanations import by_own_runner, of_service_check
from mama_bot.enforcement.claims.figures import fits_counts, names_figures
from mama_bot.facts.places import named_path, same_file
from mama_bot.model import CheckedClaim, ClaimReason, ClaimState, Facts, Grade, HostCheck
from mama_bot.wording import Language


def graded(checked: CheckedClaim, facts: Facts, service: Sequence[HostCheck], language: Language) -> CheckedClaim:
    """Return a compared claim with who ran what it rests on; a run by the service stands above any other."""
    claim = checked.claim
    kinds = CHECKS.get(claim.kind, ())
    own = [check for check in service if check.kind in kinds and (not claim.tool or claim.tool in " ".join(check.argv))]
    if not own or claim.fails:
        return _by_agent(checked, facts, language)
    failed = next((check for check in own if not check.ok), None)
    if failed is not None:
        says = of_service_check(failed, language)
        return replace(
            checked, state=ClaimState.CONTRADICTED, reason=ClaimReason.FAILED, grade=Grade.SERVICE, says=says
        )
    if names_figures(claim) and not any(fits_counts(claim, check.counts, passed=True) for check in own):
        return _by_agent(checked, facts, language)
    says = of_service_check(own[-1], language)
    run_id = checked.run_id if checked.state is ClaimState.CONFIRMED else ""
    return replace(
        checked,
        state=ClaimState.CONFIRMED,
        reason=ClaimReason.NONE,
        run_id=run_id,
        grade=Grade.SERVICE,
        says=says,
    )


def _by_agent(checked: CheckedClaim, facts: Facts, language: Language) -> CheckedClaim:
    kinds = CHECKS.get(checked.claim.kind)
    if not checked.run_id:
        return checked
    if kinds is None:
        if not _is_plain_act(checked, facts):
            checked = replace(checked, grade=Grade.UNPROVEN)
        carried_out = [deed for deed in facts.deeds if deed.witness.call_id == checked.run_id and deed.runner]
        if not carried_out:
            return checked
        says = by_own_runner(checked.says, carried_out[-1].runner, language)
        return replace(checked, grade=Grade.OWN_RUNNER, says=says)
    deciding = [check for check in facts.checks if check.witness.call_id == checked.run_id]
    check = next((check for check in reversed(deciding) if check.kind in kinds), deciding[-1] if deciding else None)
    if check is None:
        return checked
    if not check.runner:
        return replace(checked, grade=Grade.AGENT if check.plain else Grade.UNPROVEN)
    return replace(checked, grade=Grade.OWN_RUNNER, says=by_own_runner(checked.says, check.runner, language))


def _is_plain_act(checked: CheckedClaim, facts: Facts) -> bool:
    """Return whether a deed or a file is known to be what the record says of it: by a plain call, or on the disk."""
    if checked.state is not ClaimState.CONFIRMED:
        return True
    deeds = [deed for deed in facts.deeds if deed.witness.call_id == checked.run_id]
    if deeds and checked.claim.kind in DEEDS:
        return not checked.claim.files and any(deed.plain and deed.kind is DEEDS[checked.claim.kind] for deed in deeds)
    if checked.claim.kind in FATES:
        named = [
            file for file in facts.files for name in checked.claim.subjects if same_file(named_path(name), file.path)
        ]
        return all(file.plain or file.present is not None for file in named)
    return True
