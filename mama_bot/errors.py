"""The tree of errors: each is a sentence that says what, where and what to do, with the facts that somebody reads."""

from enum import StrEnum
from pathlib import Path
from typing import ClassVar

from mama_bot.sentences import (
    ALREADY_RUNNING,
    ANOTHER_PROCESS,
    DISK_NEARLY_FULL,
    ENDED_BY_ITSELF,
    ITS_PROCESS,
    NO_SUCH_RECEIPT,
    PLACED,
    PORT_TAKEN,
    QUEUE_FULL,
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


class QueueFull(MamaBotError):
    """A bounded queue has no room; the message was not stored and the person must be told so."""

    decision: ClassVar = ErrorDecision.LATER

    def __init__(self, *, scope: str, limit: int) -> None:
        super().__init__(QUEUE_FULL.of(scope=scope, limit=limit))


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
    """An agent did not produce a draft; the session that raised it is not to be used again unless it says so."""

    decision: ClassVar = ErrorDecision.WITHHELD


class AgentUnavailable(AgentError):
    """No agent process can be started: the CLI is missing, not executable or not logged in."""

    def __init__(self, *, backend: str, reason: str, remedy: str) -> None:
        super().__init__(f"The {backend} agent cannot start: {reason}. {remedy}")
        self.remedy = remedy


class RepositoryUnavailable(AgentError):
    """The repository that a conversation works in cannot be worked in now; the sentence says why and what to do."""


class PersonaNotReady(AgentError):
    """A critical action of a persona does not hold, so it does not speak; the sentence says which and what to do."""


class AgentCrashed(AgentError):
    """The agent's process ended in the middle of a turn."""

    decision: ClassVar = ErrorDecision.AGAIN

    def __init__(self, *, returncode: int | None, stderr_tail: str = "") -> None:
        tail = f" Its last words: {stderr_tail.strip()[-300:]}" if stderr_tail.strip() else ""
        super().__init__(f"The agent's process ended unexpectedly (exit status {returncode}).{tail}")
        self.returncode = returncode


class AgentOutgrew(AgentError):
    """The agent's processes went beyond a limit of `sandbox.limits` and were ended; trying again would do it again."""

    SENTENCES: ClassVar = {"processes": TOO_MANY_PROCESSES, "memory_megabytes": TOO_MUCH_MEMORY}

    def __init__(self, *, limit: str, allowed: int, measured: int) -> None:
        super().__init__(self.SENTENCES.get(limit, DISK_NEARLY_FULL).of(allowed=allowed, measured=measured))
        self.limit = limit


class AgentTimedOut(AgentError):
    """The agent gave no sign of life, or no answer, within its deadline (seconds)."""

    decision: ClassVar = ErrorDecision.AGAIN

    def __init__(self, *, seconds: float, waiting_for: str) -> None:
        super().__init__(f"The agent gave no {waiting_for} within {seconds:g} seconds and was stopped.")
        self.seconds = seconds


class AgentInterrupted(AgentError):
    """The turn was stopped on purpose; the session stays usable."""

    def __init__(self) -> None:
        super().__init__("The agent's turn was stopped.")


class ModelFailed(AgentError):
    """The model's service answered with an error instead of a reply; the session stays usable."""

    def __init__(self, *, status: int | None, reason: str) -> None:
        code = "" if status is None else f" (status {status})"
        super().__init__(f"The model's service failed{code}: {reason.rstrip(' .')}.")
        self.status = status


class SessionLost(AgentError):
    """The session to be resumed does not exist any more; start a new one."""

    decision: ClassVar = ErrorDecision.AGAIN

    def __init__(self, *, session_id: str) -> None:
        super().__init__(f"The agent's session {session_id} cannot be resumed.")


class PoolExhausted(AgentError):
    """Every agent process was busy for longer than a turn may wait (seconds)."""

    def __init__(self, *, size: int, waited_seconds: float) -> None:
        super().__init__(
            f"All {size} agent processes were busy for {waited_seconds:g} seconds. Raise pool.size, or try again later."
        )
