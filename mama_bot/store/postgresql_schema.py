"""What a PostgreSQL database has beside the tables: the functions of SQLite that statements use, and its rings.

Both are made anew at every start, so a release may change them.
"""

from collections.abc import Sequence

from mama_bot.store.bell import Ring
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.postgresql_nodes import FUNCTION

# A key in JSON text is `$.one.other`. PostgreSQL reads no U+0000 out of JSON.
_FUNCTIONS = (
    """
    CREATE OR REPLACE FUNCTION mama_json(body text, path text) RETURNS json LANGUAGE sql IMMUTABLE AS $$
        SELECT replace(body, '\\u0000', '\\ufffd')::json #> string_to_array(substr(path, 3), '.')
    $$
    """,
    """
    CREATE OR REPLACE FUNCTION json_extract(body text, path text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
        SELECT mama_json(body, path) #>> '{}'
    $$
    """,
    """
    CREATE OR REPLACE FUNCTION json_array_length(body text, path text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
        SELECT json_array_length(mama_json(body, path))
    $$
    """,
    """
    CREATE OR REPLACE FUNCTION json_each(body text) RETURNS TABLE (value text) LANGUAGE sql IMMUTABLE AS $$
        SELECT json_array_elements_text(body::json)
    $$
    """,
    """
    CREATE OR REPLACE FUNCTION json_each(body text, path text) RETURNS TABLE (value text) LANGUAGE sql IMMUTABLE AS $$
        SELECT json_array_elements_text(mama_json(body, path))
    $$
    """,
    """
    CREATE OR REPLACE FUNCTION julianday(at text) RETURNS double precision LANGUAGE sql STABLE AS $$
        SELECT extract(epoch FROM at::timestamptz) / 86400 + 2440587.5
    $$
    """,
)
_RINGS = (
    f"""
    CREATE OR REPLACE FUNCTION mama_ring_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_notify('{Ring.JOBS}', ''); RETURN NULL; END
    $$
    """,
    f"""
    CREATE OR REPLACE FUNCTION mama_ring_posts() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_notify('{Ring.POSTS}', left(NEW.conversation, 1500)); RETURN NULL; END
    $$
    """,
    """
    CREATE OR REPLACE TRIGGER mama_jobs_come_or_go AFTER INSERT OR DELETE ON jobs
    FOR EACH STATEMENT EXECUTE FUNCTION mama_ring_jobs()
    """,
    """
    CREATE OR REPLACE TRIGGER mama_jobs_come_back AFTER UPDATE OF status ON jobs
    FOR EACH ROW WHEN (NEW.status = 'todo') EXECUTE FUNCTION mama_ring_jobs()
    """,
    """
    CREATE OR REPLACE TRIGGER mama_holds_end AFTER DELETE ON holds
    FOR EACH STATEMENT EXECUTE FUNCTION mama_ring_jobs()
    """,
    """
    CREATE OR REPLACE TRIGGER mama_posts_come AFTER INSERT ON outbox
    FOR EACH ROW EXECUTE FUNCTION mama_ring_posts()
    """,
)


def make_functions(connection: Connection) -> None:
    """Make the functions that statements use; before the tables, whose migrations use them."""
    _make(connection, (*_FUNCTIONS, FUNCTION))


def make_rings(connection: Connection) -> None:
    """Make the triggers that wake whoever listens, with the commit of what they tell of."""
    _make(connection, _RINGS)


def _make(connection: Connection, statements: Sequence[str]) -> None:
    for statement in statements:
        connection.execute(Statement(statement))
