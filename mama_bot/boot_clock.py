"""Time that passes also while the machine sleeps, as leases have to count it."""

import time


def since_boot() -> float:
    """Return seconds since some moment; they go on in a machine that is suspended, where the system counts them."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)
