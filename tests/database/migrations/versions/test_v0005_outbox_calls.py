"""The migration that renames errands to outbox_calls keeps the calls and their order."""

from alembic import command
from sqlalchemy import text

from dibs.database import migrate, revisions

CALL = "(id, kind, lease, due_at, created_at) VALUES (7, 'clear_up', 'a', 1, 1)"
NEXT = "(kind, lease, due_at, created_at) VALUES ('clean_up', 'a', 2, 2)"
LEASE = "(uuid, name, start_at, end_at, status, outside, created_at) VALUES ('a', 'l', 1, 2, 'ACTIVE', 1, 1)"


def test_calls_keep_their_ids_and_leases_their_compute_service(blank_database_url: str) -> None:
    with revisions.connected(blank_database_url) as connection, connection.begin():
        command.upgrade(migrate._config(connection), "0004")
        connection.execute(text(f"INSERT INTO errands {CALL}"))
        connection.execute(text(f"INSERT INTO leases {LEASE}"))
    migrate.upgrade(blank_database_url)
    with revisions.connected(blank_database_url) as connection, connection.begin():
        connection.execute(text(f"INSERT INTO outbox_calls {NEXT}"))
        calls = connection.execute(text("SELECT id, kind, attempts FROM outbox_calls ORDER BY id")).fetchall()
        external = connection.execute(text("SELECT external_compute FROM leases")).scalars().all()
    assert [tuple(call) for call in calls] == [(7, "clean_up", 0), (8, "clean_up", 0)]
    assert external == [1]
