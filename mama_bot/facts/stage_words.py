"""The stages of the chain by the names that people know, and how many attempts a reply took."""

from collections.abc import Sequence

from mama_bot.facts import sentences as says
from mama_bot.wording import Language


def stage_words(stage: str, language: Language) -> str:
    """Return the name of a stage as a person reads it."""
    known = says.STAGES.get(stage)
    return stage.replace("_", " ") if known is None else known.to(language)


def attempts_words(sent_back_by: Sequence[str], language: Language) -> str:
    """Return how many attempts a reply took, and which stages sent the earlier ones back; "" for a first attempt."""
    if not sent_back_by:
        return ""
    stages = ", ".join(dict.fromkeys(stage_words(stage, language) for stage in sent_back_by))
    return says.ATTEMPTS.to(language, n=len(sent_back_by) + 1, stages=stages)
