"""What can be made to go wrong with a call of the Web API."""

from dataclasses import dataclass
from enum import StrEnum


class Manner(StrEnum):
    """How a call goes wrong: refused, answered with nonsense, carried out without an answer, or never answered."""

    REFUSED = "refused"
    GARBAGE = "garbage"
    ANSWER_LOST = "answer_lost"
    SILENT = "silent"


@dataclass(slots=True, kw_only=True)
class Fault:
    """The next `times` calls of a method ("*": of any) fail; an `error` is told as Slack tells it, `status` by HTTP."""

    method: str
    error: str = ""
    status: int = 200
    retry_after: int | None = None
    times: int = 1
    manner: Manner = Manner.REFUSED
    met: int = 0


class Faults:
    """The faults that are still to come, used up in order."""

    def __init__(self) -> None:
        self._waiting: list[Fault] = []

    def add(self, fault: Fault) -> Fault:
        """Let the next calls fail; the fault counts in `met` how often it did."""
        self._waiting.append(fault)
        return fault

    def clear(self) -> None:
        """Let everything work again."""
        self._waiting.clear()

    def next(self, method: str) -> Fault | None:
        """The fault that a call meets."""
        for fault in self._waiting:
            if fault.method in {method, "*"} and fault.times > 0:
                fault.times -= 1
                fault.met += 1
                return fault
        return None
