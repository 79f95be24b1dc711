"""What the launcher is told of a process: what it reaches, how much it may take; and what it tells in return."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mama_bot.confinement.sandbox import Reach

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - watched, not written to


@dataclass(frozen=True, slots=True, kw_only=True)
class Excess:
    """The limit that a process went beyond, with all that it started, and was ended for."""

    limit: str
    allowed: int
    measured: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """The file in which a node notes when it last wrote, and after how many seconds what it started stands still."""

    file: Path
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the launcher does with one process; without a `reach` nothing is confined.

    `limits` are those of the settings, by name; `disks` the directories whose disks it may fill but for what they keep
    free. What it went beyond is written to `told`, which the process itself must not reach. A process sees the few
    variables that an agent may see and `variables`, or with `every_variable` all that the launcher was given; its
    `umask` is that of the launcher where none is set. With a `pulse` it stands still while that is gone.
    """

    told: Path
    reach: Reach | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    disks: tuple[Path, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    every_variable: bool = False
    umask: int | None = None
    pulse: Pulse | None = None

    def write(self, file: Path) -> None:
        """Write it to a file; what an earlier process told is forgotten."""
        self.told.unlink(missing_ok=True)
        plan = {
            **(json.loads(self.reach.as_json()) if self.reach else {}),
            "limits": dict(self.limits),
            "disks": [str(place) for place in self.disks],
            "told": str(self.told),
            "variables": dict(self.variables),
            "every_variable": self.every_variable,
            "umask": self.umask,
            "pulse": {"file": str(self.pulse.file), "seconds": self.pulse.seconds} if self.pulse else None,
        }
        file.touch(mode=0o600)  # there may be secrets among the variables
        file.write_text(json.dumps(plan), encoding="utf-8")

    def excess(self) -> Excess | None:
        """Return what the process was ended for; None where it was not."""
        try:
            told = json.loads(self.told.read_text(encoding="utf-8"))
            return Excess(limit=str(told["limit"]), allowed=int(told["allowed"]), measured=int(told["measured"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None
