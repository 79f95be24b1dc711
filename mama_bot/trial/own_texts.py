"""Texts that a person gives on the page: judged one at a time, in a thread of their own, in bounded time."""

import asyncio
import json
import threading
from collections.abc import Callable

from mama_bot.config import EnforcementSettings
from mama_bot.errors import TextRefused
from mama_bot.model import OwnText, Trial
from mama_bot.protocols import Clock
from mama_bot.trial.given_messages import MessageInput, MessageUnusable, read_message
from mama_bot.trial.sentences import BUSY, LATE, TOO_MANY_CALLS, UNREADABLE
from mama_bot.trial.trial_chain import TrialChain

MOST_CALLS = 500
SECONDS = 15.0


class OwnTexts:
    """Judges a text as `mama-bot judge` does, beside the event loop.

    A second one at the same time is refused: what runs is linear in a bounded text, and cannot be cut short.
    """

    def __init__(self, *, settings: EnforcementSettings, clock: Clock, seconds: float = SECONDS) -> None:
        self._settings = settings
        self._clock = clock
        self._seconds = seconds
        self._free = threading.Semaphore()

    async def judge(self, given: OwnText) -> Trial:
        """See `TextJudge.judge`."""
        message = _message(given)
        if not self._free.acquire(blocking=False):
            raise TextRefused(code="judge_busy", sentence=BUSY)
        # Waited for without being cancelled: the thread alone says when the next text may come.
        running = asyncio.get_running_loop().run_in_executor(None, self._freed(lambda: self._judged(message)))
        done, _ = await asyncio.wait((running,), timeout=self._seconds)
        if not done:
            raise TextRefused(code="judge_late", sentence=LATE.of(seconds=self._seconds))
        return running.result()

    def _judged(self, message: MessageInput) -> Trial:
        return asyncio.run(TrialChain(settings=self._settings, clock=self._clock).judge(message))

    def _freed(self, work: Callable[[], Trial]) -> Callable[[], Trial]:
        def then_free() -> Trial:
            try:
                return work()
            finally:
                self._free.release()

        return then_free


def _message(given: OwnText) -> MessageInput:
    fields: dict[str, object] = {
        "id": "page",
        "text": given.text,
        "agent_to_agent": given.to_agent,
        "role": "reviewer" if given.reviews else "worker",
    }
    if given.record.strip():
        fields["record"] = _calls(given.record)
    try:
        message = read_message(json.dumps(fields))
    except MessageUnusable as error:
        raise TextRefused(code="bad_record", sentence=UNREADABLE.of(problem=str(error))) from error
    count = len(message.record or ())
    if count > MOST_CALLS:
        raise TextRefused(code="bad_record", sentence=TOO_MANY_CALLS.of(count=count, most=MOST_CALLS))
    return message


def _calls(record: str) -> object:
    """Return the calls of a record: a list, or what a message for `mama-bot judge` holds under "record"."""
    try:
        read = json.loads(record)
    except (ValueError, RecursionError) as error:
        problem = f"{error}." if isinstance(error, ValueError) else "it is too deep."
        raise TextRefused(code="bad_record", sentence=UNREADABLE.of(problem=problem)) from error
    return read["record"] if isinstance(read, dict) and "record" in read else read
