"""What CI says of the pull request of a conversation, in words of ours; the service asked the forge itself."""

from mama_bot.facts import sentences as says
from mama_bot.model import CheckState, CommitChecks
from mama_bot.wording import Language, quotable

SHORT_HASH = 7
MOST_NAMES, NAME_CHARACTERS = 3, 40


def ci_words(checks: CommitChecks, language: Language) -> str:
    """Return how the checks of a commit stand, "" where there are none: `CI: 3 checks passed on 1a2b3c4`."""
    commit, state = checks.commit[:SHORT_HASH], checks.whole
    listed = checks.of_state(state)
    match state:
        case CheckState.PASSED:
            return says.CI_PASSED.to(language, count=len(listed), commit=commit)
        case CheckState.PENDING:
            return says.CI_RUNS.to(language, count=len(listed), commit=commit)
        case CheckState.FAILED:
            names = ", ".join(quotable(check.name, NAME_CHARACTERS) for check in listed[:MOST_NAMES])
            more = says.CI_MORE.to(language, count=len(listed) - MOST_NAMES) if len(listed) > MOST_NAMES else ""
            return says.CI_FAILED.to(language, names=f"{names}{more}", commit=commit)
        case CheckState.SKIPPED:
            return ""
