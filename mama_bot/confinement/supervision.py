"""Owns one command on Linux: whatever it starts, wherever that hides, ends with it, and together they stay in bounds.

Stand-alone and of the standard library only: the launcher loads it from its file. Its process adopts every orphan below
it (a child subreaper). Where Landlock scopes signals it is also the outermost of a domain of its own: then one signal
to "everybody" reaches all that the command ever started and nobody else, at once, however fast they multiply.
"""

import ctypes
import os
import signal
import time
from collections.abc import Callable, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:  # the launcher loads this from its file
    from mama_bot.confinement.pulse import PulseWatch

SET_PARENT_DEATH_SIGNAL = 1
SET_CHILD_SUBREAPER = 36
HEARD = {signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
LOOK_SECONDS = 0.25
GRACE_SECONDS = 2.0
END_SECONDS = 4.0
POLL_SECONDS = 0.005
STOP_ROUNDS = 100
PROC = "/proc"


class Supervisor:
    """Starts a command and waits for its end; `parent` is who is served: with its end all of this ends.

    `seal` confines the signals of this process and says whether it did; `look` is asked several times a second, and
    True ends the command. While the `pulse` of who is served is gone, the command stands still.
    """

    def __init__(
        self,
        *,
        parent: int,
        seal: Callable[[], bool],
        look: Callable[[], bool],
        pulse: "PulseWatch | None" = None,
    ) -> None:
        self._parent = parent
        self._pulse = pulse
        self._look_seconds = min(LOOK_SECONDS, pulse.look_seconds if pulse else LOOK_SECONDS)
        self._stands_still = False
        self._look = look
        self._command = 0
        self._hearing: Callable[[int], int] = lambda command: command
        self._status: int | None = None
        signal.pthread_sigmask(signal.SIG_BLOCK, HEARD)
        library = ctypes.CDLL(None, use_errno=True)
        library.prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        library.prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
        # "Everybody" is only said where it was tried that whoever is served is not among them.
        self._sealed = seal() and _out_of_reach(parent)

    def run(
        self,
        become: Callable[[], object],
        *,
        forget: Callable[[], object],
        hearing: Callable[[int], int] = lambda command: command,
    ) -> int:
        """Start what `become` turns a new process into, and return its wait status when nothing of it is left.

        `forget` removes from this process what only the new one is to have. `hearing` says which process is told to
        end: the new one itself, or one that it started.
        """
        self._hearing = hearing
        supervisor = os.getpid()
        self._command = os.fork()
        if self._command == 0:
            try:
                ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
                os.setsid()  # a command that signals its group does not reach the supervisor
                signal.pthread_sigmask(signal.SIG_UNBLOCK, HEARD)
                if os.getppid() == supervisor:
                    become()
            finally:
                os._exit(126)
        _let_go_of_standard_streams()
        try:
            forget()
            self._wait()
        finally:
            self._end_all()
        return signal.SIGKILL if self._status is None else self._status

    def _wait(self) -> None:
        deadline = float("inf")
        while True:
            heard = signal.sigtimedwait(HEARD, self._look_seconds)
            self._keep_pace()
            self._reap()
            if self._status is not None or time.monotonic() > deadline or self._look():
                return
            told = heard.si_signo if heard is not None and heard.si_signo != signal.SIGCHLD else 0
            if os.getppid() != self._parent:
                told = told or signal.SIGTERM
            if told and deadline == float("inf"):
                deadline = time.monotonic() + GRACE_SECONDS
                _signal(self._hearing(self._command), told)

    def _keep_pace(self) -> None:
        """Let the command stand still while the pulse is gone, with whatever it still starts; then let it go on."""
        if self._pulse is None:
            return
        if self._pulse.gone():
            self._stands_still = True
            if self._sealed:
                _signal(-1, signal.SIGSTOP)
            else:
                _stopped()
        elif self._stands_still:
            self._stands_still = False
            if self._sealed:
                _signal(-1, signal.SIGCONT)
            else:
                for process in descendants([os.getpid()]):
                    _signal(process.pid, signal.SIGCONT)

    def _reap(self) -> bool:
        """Take note of whatever has ended; returns False when there is no child any more."""
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return True
                if pid == self._command:
                    self._status = status
        except ChildProcessError:
            return False

    def _end_all(self) -> None:
        """Kill and reap until nothing is left; bounded, so that what may not be killed holds nobody."""
        deadline = time.monotonic() + END_SECONDS
        while time.monotonic() < deadline:
            if self._sealed:
                _signal(-1, signal.SIGKILL)
            else:
                _stop_and_kill()
            if not self._reap():
                return
            time.sleep(POLL_SECONDS)


class Process:
    """A process that is not ours, as /proc tells of it."""

    __slots__ = ("group", "pid", "threads", "ticks")

    def __init__(self, *, pid: int, fields: Sequence[bytes]) -> None:
        self.pid, self.group, self.threads = pid, int(fields[2]), int(fields[17])
        self.ticks = sum(int(field) for field in fields[11:15])  # the time it worked, and those it waited for


def descendants(parents: Sequence[int]) -> list[Process]:
    """Return every process below these."""
    children: dict[int, list[Process]] = {}
    for name in os.listdir(PROC):
        if not name.isdecimal():
            continue
        fields = stat_fields(int(name))
        if fields:
            process = Process(pid=int(name), fields=fields)
            children.setdefault(int(fields[1]), []).append(process)
    below: list[Process] = []
    new = [child for parent in parents for child in children.get(parent, ())]
    while new:
        below += new
        new = [child for parent in new for child in children.get(parent.pid, ())]
    return below


def third_generation(pid: int) -> int:
    """Return the child of a process's child, which is what bubblewrap was to start; the process itself without one."""
    for child in descendants([pid])[:1]:
        for grandchild in descendants([child.pid])[:1]:
            return grandchild.pid
    return pid


def stat_fields(pid: int) -> list[bytes]:
    """Return what /proc tells of a process from its state on (proc(5), stat); nothing of one that is gone."""
    try:
        with open(f"{PROC}/{pid}/stat", "rb", buffering=0) as file:
            # pid (name) state parent: a name may hold anything.
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []


def _out_of_reach(pid: int) -> bool:
    """Return whether this process may not signal another."""
    if pid < 1:
        return False
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return False


def _stop_and_kill() -> None:
    """Stop everything below first: what still multiplies while it is killed would win the race."""
    for pid in _stopped():
        _signal(pid, signal.SIGKILL)


def _stopped() -> set[int]:
    """Stop everything below, group by group, and return it."""
    stopped: set[int] = set()
    for _ in range(STOP_ROUNDS):
        new = [process for process in descendants([os.getpid()]) if process.pid not in stopped]
        if not new:
            break
        # Their groups lie in sessions that began below this process: nobody else is in one.
        for target in {-process.group for process in new} | {process.pid for process in new}:
            _signal(target, signal.SIGSTOP)
        stopped |= {process.pid for process in new}
    return stopped


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        return


def _let_go_of_standard_streams() -> None:
    """Whoever reads from the command, or writes to it, is to see its end, not ours."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(nothing, stream)
    os.close(nothing)
