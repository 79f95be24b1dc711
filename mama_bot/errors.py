"""The tree of errors: each is a sentence that says what, where and what to do, with the facts that somebody reads."""

from enum import StrEnum
from pathlib import Path
from typing import ClassVar

from mama_bot import sentences
from mama_bot.model_faults import ADVICE, FAULTS, ModelFault, wait_words
from mama_bot.sentences import (
    ALREADY_RUNNING,
    ANOTHER_PROCESS,
    DISK_NEARLY_FULL,
    ENDED_BY_ITSELF,
    ITS_PROCESS,
    NO_SUCH_RECEIPT,
    PLACED,
    PORT_TAKEN,
    TOO_MANY_PROCESSES,
    TOO_MUCH_MEMORY,
)
from mama_bot.wording import Language, Said


class ErrorDecision(StrEnum):
    """What becomes of what met an error: each error has one of these, and `docs/errors.md` tells of all."""

    REFUSED = "refused"  # it is not done and nothing was changed; the sentence says why to whoever asked
    LATER = "later"  # it is not done now; the same may go well in a while
    AGAIN = "again"  # the service itself does it again, so often and no more
    WITHHELD = "withheld"  # the turn ends without a reply, with a line
    NOT_KNOWN = "not known"  # nothing follows from what could not be told
    AS_SET = "as set"  # the check or the rule that met it says: `on_failure`
    STOPPED = "stopped"  # the process ends with the sentence


class MamaBotError(Exception):
    """Every error that this package raises on purpose: `str(error)` is English, for logs."""

    decision: ClassVar[ErrorDecision]

    def __init__(self, sentence: Said | str = "") -> None:
        super().__init__(sentence if isinstance(sentence, str) else sentence.to(Language.ENGLISH))
        self.sentence = sentence

    def to(self, language: Language) -> str:
        """Return what a person is told; in English where the error has one language, "" where they are told nothing."""
        return self.sentence if isinstance(self.sentence, str) else self.sentence.to(language)


class ConfigurationError(MamaBotError):
    """Something that a person wrote (configuration, persona, secrets file) cannot be used; exit status 2."""

    decision: ClassVar = ErrorDecision.REFUSED

    def __init__(self, *, problem: Said | str, file: Path | None = None, line: int | None = None) -> None:
        place = "" if file is None else f"{file}:{line}: " if line is not None else f"{file}: "
        super().__init__(PLACED.of(place=place, problem=problem))
        self.mistake = problem
        self.problem = problem if isinstance(problem, str) else problem.to(Language.ENGLISH)
        self.file = file
        self.line = line


class AlreadyRunning(MamaBotError):
    """Another process owns the data directory."""

    decision: ClassVar = ErrorDecision.STOPPED

    def __init__(self, *, directory: Path, pid: int | None) -> None:
        owner = ANOTHER_PROCESS if pid is None else ITS_PROCESS.of(pid=pid)
        super().__init__(ALREADY_RUNNING.of(directory=directory, owner=owner))
        self.pid = pid


class PortTaken(MamaBotError):
    """The address of the web page is in use."""

    decision: ClassVar = ErrorDecision.STOPPED

    def __init__(self, *, host: str, port: int) -> None:
        super().__init__(PORT_TAKEN.of(host=host, port=port))


class EndedByItself(MamaBotError):
    """A part that runs for as long as the service does has ended; the service cannot go on without it."""

    decision: ClassVar = ErrorDecision.STOPPED

    def __init__(self, *, part: str) -> None:
        super().__init__(ENDED_BY_ITSELF.of(part=part))


class StoreError(MamaBotError):
    """The database cannot be read or written just now."""

    decision: ClassVar = ErrorDecision.LATER


class StoreUnavailable(StoreError):
    """The database is locked, full, not writable or not a database; nothing was stored."""

    def __init__(self, *, url: str, reason: str, remedy: str) -> None:
        super().__init__(f"The database {url} cannot be used: {reason}. {remedy}")


class StoreInUse(StoreUnavailable):
    """Another service works on the database."""


class StoreUnsuitable(StoreUnavailable):
    """The database is another program's, or has a shape that this release does not know; nothing of it was changed."""


class QueueFull(MamaBotError):
    """A bounded queue has no room; the message was not stored and the person must be told so."""

    decision: ClassVar = ErrorDecision.LATER

    def __init__(self, *, scope: str, limit: int) -> None:
        super().__init__(sentences.QUEUE_FULL.of(scope=scope, limit=limit))


class MessageRefused(MamaBotError):
    """A message cannot be taken as it is (empty, too long); the text says what to change."""

    decision: ClassVar = ErrorDecision.REFUSED


class AccessRefused(MessageRefused):
    """Whoever wrote is not served here: `reason` is for the log, and `tell` all that they may know of it."""

    def __init__(self, *, reason: str, tell: Said | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.tell = tell

    def to(self, language: Language) -> str:
        """Return `tell`; "": they are told nothing."""
        return "" if self.tell is None else self.tell.to(language)


class FileRefused(MamaBotError):
    """A file that came with a message was not kept; the sentence says why."""

    decision: ClassVar = ErrorDecision.REFUSED


class PairingRefused(MamaBotError):
    """A request to be served cannot be made, settled or ended; the sentence says why."""

    decision: ClassVar = ErrorDecision.REFUSED


class NoSuchReceipt(MamaBotError):
    """No receipt has this number or turn."""

    decision: ClassVar = ErrorDecision.REFUSED

    def __init__(self, reference: str) -> None:
        super().__init__(NO_SUCH_RECEIPT.of(reference=reference[:80]))


class ReportRefused(MamaBotError):
    """A report about a verdict cannot be taken or settled; the sentence says why, `code` names the reason."""

    decision: ClassVar = ErrorDecision.REFUSED

    def __init__(self, *, code: str, sentence: Said | str) -> None:
        super().__init__(sentence)
        self.code = code


class TextRefused(MamaBotError):
    """A text that a person gives to be judged is not judged; the sentence says why, `code` names the reason."""

    decision: ClassVar = ErrorDecision.REFUSED

    def __init__(self, *, code: str, sentence: Said) -> None:
        super().__init__(sentence)
        self.code = code


class ReviewRefused(MamaBotError):
    """A review cannot take a step: it is not legal from where it stands, or not this agent's; nothing was changed."""

    decision: ClassVar = ErrorDecision.REFUSED


class BoardRefused(MamaBotError):
    """A board does not take what it was asked to take; the sentence says why, and nothing was changed."""

    decision: ClassVar = ErrorDecision.REFUSED


class ReportStaysOpen(MamaBotError):
    """Accepting a report as it was asked for would not let the reported text pass; nothing was written."""

    decision: ClassVar = ErrorDecision.REFUSED


class PushRefused(MamaBotError):
    """The work of a conversation was not pushed; the sentence says why."""

    decision: ClassVar = ErrorDecision.REFUSED


class ForgeError(MamaBotError):
    """A forge (GitHub, GitLab) did not do what it was asked; the sentence says why and what to do."""

    decision: ClassVar = ErrorDecision.REFUSED


class ForgeRefused(ForgeError):
    """The forge refused: asking again changes nothing until a person does; `status` is that of HTTP (0: none)."""

    def __init__(self, sentence: Said, *, status: int = 0, reasons: tuple[str, ...] = ()) -> None:
        super().__init__(sentence)
        self.status = status
        self.reasons = reasons


class ForgeUnavailable(ForgeError):
    """The forge cannot be asked just now: it does not answer, is in trouble, or asks to wait so many seconds."""

    decision: ClassVar = ErrorDecision.LATER

    def __init__(self, sentence: Said, *, retry_after_seconds: float | None = None) -> None:
        super().__init__(sentence)
        self.retry_after_seconds = retry_after_seconds


class DeliveryError(MamaBotError):
    """A post did not (or perhaps did not) reach the platform."""

    decision: ClassVar = ErrorDecision.AGAIN


class DeliveryFailed(DeliveryError):
    """The platform certainly does not have the post; `permanent`: it will not take it later either."""

    def __init__(
        self, *, platform: str, reason: str, retry_after_seconds: float | None = None, permanent: bool = False
    ) -> None:
        super().__init__(f"{platform} did not take the post: {reason}")
        self.reason = reason
        self.retry_after_seconds = retry_after_seconds
        self.permanent = permanent


class DeliveryUnknown(DeliveryError):
    """The platform may have the post: look before posting again."""

    def __init__(self, *, platform: str, reason: str) -> None:
        super().__init__(f"It is not known whether {platform} took the post: {reason}")


class AgentError(MamaBotError):
    """An agent did not produce a draft; the session that raised it is not to be used again unless it says so.

    `advice` is what the person can do about it; `for_the_log` are words of others, which no person is shown.
    """

    decision: ClassVar = ErrorDecision.WITHHELD
    advice: Said = sentences.SEND_AGAIN
    for_the_log = ""

    def __str__(self) -> str:
        return f"{super().__str__()} It said: {self.for_the_log}" if self.for_the_log else super().__str__()


class AgentUnavailable(AgentError):
    """No agent process can work: the CLI is missing, not executable or not logged in."""

    def __init__(self, *, backend: str, reason: Said | str, remedy: Said | str) -> None:
        super().__init__(sentences.CANNOT_WORK.of(backend=backend, reason=reason, remedy=remedy))
        self.backend = backend
        self.remedy = remedy


class LoginRefused(AgentError):
    """The agent is not logged in, or its login was refused or has expired; `reason` is for the log."""

    advice = sentences.OWNER_MENDS_LOGIN

    def __init__(self, *, backend: str, reason: str) -> None:
        super().__init__(sentences.LOGIN_REFUSED.of(backend=backend))
        self.for_the_log = reason


class PersonaRests(AgentError):
    """The agent of a persona could not be started so often in a row that it is not tried for so many seconds."""

    def __init__(self, *, failures: int, seconds: float) -> None:
        super().__init__(sentences.NOT_STARTED_NOW.of(count=failures, wait=wait_words(seconds)))
        self.advice = sentences.SEND_THEN


class RepositoryUnavailable(AgentError):
    """The repository that a conversation works in cannot be worked in now; the sentence says why and what to do."""


class PersonaNotReady(AgentError):
    """A critical action of a persona does not hold, so it does not speak; the sentence says which and what to do."""


class AgentCrashed(AgentError):
    """The agent's process ended in the middle of a turn; `stderr_tail` is for the log."""

    decision: ClassVar = ErrorDecision.AGAIN

    def __init__(self, *, returncode: int | None, stderr_tail: str = "") -> None:
        super().__init__(sentences.CRASHED.of(status=sentences.NOT_KNOWN if returncode is None else returncode))
        self.returncode = returncode
        self.for_the_log = stderr_tail.strip()[-300:]


class AgentOutgrew(AgentError):
    """The agent's processes went beyond a limit of `sandbox.limits` and were ended; trying again would do it again."""

    SENTENCES: ClassVar = {"processes": TOO_MANY_PROCESSES, "memory_megabytes": TOO_MUCH_MEMORY}

    def __init__(self, *, limit: str, allowed: int, measured: int) -> None:
        super().__init__(self.SENTENCES.get(limit, DISK_NEARLY_FULL).of(allowed=allowed, measured=measured))
        self.limit = limit


class CallChanged(AgentError):
    """A call became another one after it was permitted, and that one may not run; `reason` is for the log."""

    def __init__(self, *, tool: str, reason: str) -> None:
        super().__init__(sentences.CALL_CHANGED.of(tool=tool))
        self.for_the_log = reason


class AgentTimedOut(AgentError):
    """The agent gave no sign of life within its deadline (seconds)."""

    decision: ClassVar = ErrorDecision.AGAIN

    def __init__(self, *, seconds: float, sign: Said = sentences.SIGN_LIFE) -> None:
        super().__init__(sentences.TIMED_OUT.of(seconds=seconds, sign=sign))
        self.seconds = seconds


class AgentInterrupted(AgentError):
    """The turn was stopped on purpose; the session stays usable."""

    def __init__(self) -> None:
        super().__init__(sentences.INTERRUPTED)


class ModelFailed(AgentError):
    """The model's service answered with an error instead of a reply; the session stays usable.

    `reason` is what it said, for the log; `retry_after_seconds` how long it asks to wait.
    """

    def __init__(
        self,
        *,
        status: int | None,
        reason: str = "",
        fault: ModelFault = ModelFault.OTHER,
        retry_after_seconds: float | None = None,
    ) -> None:
        code = "" if status is None else sentences.STATUS.of(status=status)
        super().__init__(FAULTS[fault].of(code=code, reason=reason.rstrip(" .")))
        self.status = status
        self.reason = self.for_the_log = reason
        self.fault = fault
        self.retry_after_seconds = retry_after_seconds
        self.advice = ADVICE.get(fault, sentences.SEND_AGAIN)
        if retry_after_seconds is not None:
            self.advice = sentences.SEND_AFTER.of(wait=wait_words(retry_after_seconds))


class SessionTooLarge(ModelFailed):
    """What a session holds is longer than the model can take: a new one is begun."""

    decision: ClassVar = ErrorDecision.AGAIN

    def __init__(self, *, status: int | None, reason: str = "") -> None:
        super().__init__(status=status, reason=reason, fault=ModelFault.TOO_LARGE)


class SessionLost(AgentError):
    """The session to be resumed does not exist any more (or was never `kept`); start a new one."""

    decision: ClassVar = ErrorDecision.AGAIN

    def __init__(self, *, session_id: str, kept: bool = True) -> None:
        super().__init__(sentences.SESSION_LOST.of(session=session_id))
        self.kept = kept


class PoolExhausted(AgentError):
    """Every agent process was busy for longer than a turn may wait (seconds)."""

    def __init__(self, *, size: int, waited_seconds: float) -> None:
        super().__init__(sentences.POOL_EXHAUSTED.of(size=size, seconds=waited_seconds))
