"""Look whether a database that is named by its address can be used, and change nothing in it."""

from mama_bot.errors import StoreUnavailable


def examined_url(url: str) -> tuple[str, str]:
    """Return what a database answers, and what to do where it cannot be used: nothing where it can."""
    if not url.startswith("postgres"):
        return "store.url is set; the service checks it at its start", ""
    import psycopg

    from mama_bot.store.postgresql_driver import OLDEST, connected
    from mama_bot.store.postgresql_faults import postgresql_unavailable, shown

    try:
        driver = connected(url)
    except psycopg.Error as error:
        unavailable = postgresql_unavailable(error, url)
        reason = str(unavailable or StoreUnavailable(url=shown(url), reason=type(error).__name__, remedy=""))
        return reason, "Check store.url (MAMA_STORE__URL) and that PostgreSQL runs there."
    try:
        version = driver.info.server_version // 10_000
        makes = driver.execute(b"SELECT has_schema_privilege(current_schema(), 'CREATE')").fetchone()
    finally:
        driver.close()
    if version < OLDEST:
        return f"PostgreSQL {version}", f"Use PostgreSQL {OLDEST} or newer."
    if makes != (True,):
        return f"PostgreSQL {version}; its user may make no tables", "GRANT CREATE on its schema to that user."
    return f"PostgreSQL {version}; {shown(url)}", ""
