"""The migration that renames node_requests to allocations keeps the rows and their positions in the queue."""

from alembic import command
from sqlalchemy import text

from dibs.database import migrate, revisions

ROW = "(id, uuid, name, state, created_at) VALUES (7, 'a', 'web', 'allocating', 1)"
NEXT = "(uuid, state, created_at) VALUES ('b', 'allocating', 2)"


def test_rows_keep_their_ids_and_new_ones_follow(blank_database_url: str) -> None:
    with revisions.connected(blank_database_url) as connection, connection.begin():
        command.upgrade(migrate._config(connection), "0003")
        connection.execute(text(f"INSERT INTO node_requests {ROW}"))
    migrate.upgrade(blank_database_url)
    with revisions.connected(blank_database_url) as connection, connection.begin():
        connection.execute(text(f"INSERT INTO allocations {NEXT}"))
        rows = connection.execute(text("SELECT id, uuid, name, extra FROM allocations ORDER BY id")).fetchall()
    assert [tuple(row) for row in rows] == [(7, "a", "web", "{}"), (8, "b", None, "{}")]
