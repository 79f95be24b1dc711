"""Say what PostgreSQL's failures mean to a person."""

import psycopg

from mama_bot.errors import StoreInUse, StoreUnavailable
from mama_bot.store.postgresql_driver import address_parts

_REACHABLE = "Check that PostgreSQL runs there and that store.url (MAMA_STORE__URL) names it."
_RIGHTS = "Give the user of store.url (MAMA_STORE__URL) the right to create and change tables in that database."
_FAULTS = {
    "25006": ("it only takes reading", "Name the primary server in store.url (MAMA_STORE__URL)."),
    "25P03": ("this process held a transaction for too long", "Nothing is to be done: it is tried again."),
    "42501": ("access is denied", _RIGHTS),
    "53100": ("the disk is full", "Free some space on the database server."),
    "53200": ("there is not enough memory", "Free some memory on the database server."),
    "53300": ("it has no room for another connection", "Raise its max_connections."),
    "55P03": ("other processes kept it busy for too long", "See what they do in pg_stat_activity."),
    "57014": ("a statement took too long", "See what the server does in pg_stat_activity."),
    "57P01": ("the server stops", _REACHABLE),
    "57P02": ("the server had to stop", _REACHABLE),
    "57P03": ("the server is starting", _REACHABLE),
}
# Connections, what the server lacks, and what two transactions did to each other.
_CLASSES = ("08", "40", "53", "57", "58", "XX")


def postgresql_unavailable(error: BaseException, url: str) -> StoreUnavailable | None:
    """Return the failure as a sentence; None when it is not the database's fault but the statement's."""
    if isinstance(error, TimeoutError):
        return StoreUnavailable(url=shown(url), reason="it does not answer", remedy=_REACHABLE)
    if not isinstance(error, psycopg.Error):
        return None
    state = error.sqlstate
    if state is None:
        if not isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
            return None
        reason, remedy = f"it cannot be reached ({_first_line(error)})", _REACHABLE
    elif state in _FAULTS:
        reason, remedy = _FAULTS[state]
    elif state.startswith(_CLASSES):
        reason, remedy = _first_line(error), _REACHABLE
    else:
        return None
    unavailable = StoreUnavailable(url=shown(url), reason=reason, remedy=remedy)
    unavailable.__cause__ = error
    return unavailable


def in_use(url: str) -> StoreInUse:
    """Return that another service works on a database."""
    return StoreInUse(
        url=shown(url),
        reason="another mama-bot works on it",
        remedy="Stop that one first, or name a database of its own in store.url (MAMA_STORE__URL).",
    )


def in_use_by_older(url: str) -> StoreInUse:
    """Return that nodes of an older release work on a database whose tables this one would have to change."""
    return StoreInUse(
        url=shown(url),
        reason="nodes of an older mama-bot work on it, and this one needs newer tables",
        remedy="Stop those nodes: this one waits, and brings the tables up to date once the last has ended.",
    )


def taken_over(url: str) -> StoreInUse:
    """Return that another service has begun to work on a database since this one did."""
    return StoreInUse(
        url=shown(url),
        reason="another mama-bot has taken it over, because nothing was heard of this one",
        remedy="Start this one again: it waits until it is needed.",
    )


def too_old(url: str, version: int, oldest: int) -> StoreUnavailable:
    """Return that a server is older than what is needed."""
    remedy = f"Use PostgreSQL {oldest} or newer."
    return StoreUnavailable(url=shown(url), reason=f"it is PostgreSQL {version}", remedy=remedy)


def shown(url: str) -> str:
    """Return an address without its user, password and options; of one that cannot be read, its scheme alone."""
    scheme = url.partition("://")[0]
    parts = address_parts(url)
    if parts is None:
        return f"{scheme}://…"
    port = f":{parts['port']}" if "port" in parts else ""
    return f"{scheme}://{parts.get('host', '')}{port}/{parts.get('dbname', '')}"


def _first_line(error: psycopg.Error) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(".")
