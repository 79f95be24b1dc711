"""What is the matter where a model gives no reply, and what a person is told of it."""

from enum import StrEnum
from math import ceil

from mama_bot import sentences
from mama_bot.wording import Said


class ModelFault(StrEnum):
    """What is the matter where the model's service gives no reply."""

    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    BROKEN = "broken"  # a 5xx
    NO_ANSWER = "no_answer"  # nothing came, or nothing could be sent
    NO_CREDIT = "no_credit"
    UNKNOWN_MODEL = "unknown_model"
    REFUSED = "refused"
    EMPTY = "empty"
    CUT_OFF = "cut_off"
    TOO_LARGE = "too_large"
    STEPS_SPENT = "steps_spent"
    BUDGET_SPENT = "budget_spent"
    OTHER = "other"


_BY_STATUS = {
    402: ModelFault.NO_CREDIT,
    404: ModelFault.UNKNOWN_MODEL,
    413: ModelFault.TOO_LARGE,
    429: ModelFault.RATE_LIMITED,
    529: ModelFault.OVERLOADED,
}
FAULTS = {
    ModelFault.RATE_LIMITED: sentences.RATE_LIMITED,
    ModelFault.OVERLOADED: sentences.OVERLOADED,
    ModelFault.BROKEN: sentences.SERVICE_BROKEN,
    ModelFault.NO_ANSWER: sentences.NO_ANSWER,
    ModelFault.NO_CREDIT: sentences.NO_CREDIT,
    ModelFault.UNKNOWN_MODEL: sentences.UNKNOWN_MODEL,
    ModelFault.REFUSED: sentences.REFUSED,
    ModelFault.EMPTY: sentences.EMPTY_REPLY,
    ModelFault.CUT_OFF: sentences.CUT_OFF,
    ModelFault.TOO_LARGE: sentences.TOO_LARGE,
    ModelFault.STEPS_SPENT: sentences.STEPS_SPENT,
    ModelFault.BUDGET_SPENT: sentences.BUDGET_SPENT,
    ModelFault.OTHER: sentences.MODEL_FAILED,
}
ADVICE = {
    ModelFault.RATE_LIMITED: sentences.SEND_LATER,
    ModelFault.OVERLOADED: sentences.SEND_LATER,
    ModelFault.BROKEN: sentences.SEND_LATER,
    ModelFault.NO_ANSWER: sentences.SEND_LATER,
    ModelFault.NO_CREDIT: sentences.OWNER_ADDS_CREDIT,
    ModelFault.UNKNOWN_MODEL: sentences.OWNER_NAMES_MODEL,
    ModelFault.REFUSED: sentences.ASK_OTHERWISE,
    ModelFault.CUT_OFF: sentences.ASK_FOR_LESS,
    ModelFault.TOO_LARGE: sentences.ASK_FOR_LESS,
    ModelFault.STEPS_SPENT: sentences.ASK_FOR_LESS,
}


def fault_of_status(status: int | None) -> ModelFault:
    """Return what a status of HTTP tells; None: there was no answer."""
    if status is None:
        return ModelFault.NO_ANSWER
    return _BY_STATUS.get(status) or (ModelFault.BROKEN if status >= 500 else ModelFault.OTHER)


def wait_words(seconds: float) -> Said:
    """Return how long a wait is in the unit that a person would name, rounded up."""
    if seconds < 120:
        return sentences.WAIT_SECONDS.of(number=ceil(seconds))
    if seconds < 2 * 3600:
        return sentences.WAIT_MINUTES.of(number=ceil(seconds / 60))
    return sentences.WAIT_HOURS.of(number=ceil(seconds / 3600))
