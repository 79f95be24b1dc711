"""The badge of a reply in words."""

from mama_bot.facts import sentences as says
from mama_bot.model import Badge, BadgeKind
from mama_bot.wording import Language

SIGNS = {
    BadgeKind.SHOWN: "✅",
    BadgeKind.FAILURES: "⚠️",
    BadgeKind.OWN_WORD: "⚠️",
    BadgeKind.OWN_RUN: "☑️",
    BadgeKind.NOT_SHOWN: "⚠️",
    BadgeKind.CONTRADICTED: "❌",
    BadgeKind.CHECK_FAILED: "❌",
    BadgeKind.NOTHING_RUN: "⚠️",
}


def badge_in_words(badge: Badge, language: Language) -> str:
    """Return a badge with its figures: "shown by the record: 8 tests, 20:18"."""
    if badge.kind is not BadgeKind.SHOWN:
        return says.BADGES[badge.kind].to(language)
    time = "" if badge.at is None else f"{badge.at.astimezone():%H:%M}"
    if badge.tests is not None and time:
        return says.SHOWN_BY_TESTS.to(language, count=badge.tests, time=time)
    return says.SHOWN_AT.to(language, time=time) if time else says.SHOWN.to(language)
