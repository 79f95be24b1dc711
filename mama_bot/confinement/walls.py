"""Puts this process behind the walls that a plan describes: files and ports by Landlock, and what that does not see.

Stand-alone and of the standard library only: the launcher loads it from its file.
"""

TYPE_CHECKING = False
if TYPE_CHECKING or __package__:
    from mama_bot.confinement import landlock, mounts, seccomp
else:  # the launcher is run without its package
    import landlock
    import mounts
    import seccomp

if TYPE_CHECKING:  # the module that says so costs a third of the start
    from collections.abc import Mapping
    from typing import Any


# Nobody's modes are changed there, and the launcher tells the kernel of its own process by it.
PROCESSES = "/proc"


def cover_by(plan: "Mapping[str, Any]") -> None:
    """Take from this process what it is not to see or change; raises OSError where that does not work.

    It comes before any confinement: whoever is confined mounts nothing. Bubblewrap covers what it starts.
    """
    if plan.get("bubblewrap"):
        return
    covers = plan.get("covers") or {}
    frozen = plan.get("frozen")
    if any(covers.values()) or frozen:
        changeable = [*plan["writable"], PROCESSES] if frozen else None
        mounts.cover(covers.get("views", {}), covers.get("sockets", ()), changeable)


def confine_by(plan: "Mapping[str, Any]") -> None:
    """Confine this process for good; raises OSError or KeyError where that does not work."""
    connectable = plan.get("connectable")
    landlock.confine(readable=plan["readable"], writable=plan["writable"], connectable=connectable)
    if connectable is not None and landlock.version() >= landlock.PORTS_SINCE and seccomp.knows_this_machine():
        seccomp.close_detours()
    landlock.drop_capabilities()
