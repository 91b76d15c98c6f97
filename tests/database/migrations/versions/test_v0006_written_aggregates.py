"""The migration that keeps the written form of aggregates leaves the present ones as they are."""

from alembic import command
from sqlalchemy import text

from dibs.database import migrate, revisions
from dibs.database.opening import open_store
from dibs.ledger.queries import aggregates

AGGREGATE = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"


def test_present_aggregates_are_shown_in_the_stored_form(blank_database_url: str) -> None:
    with revisions.connected(blank_database_url) as connection, connection.begin():
        command.upgrade(migrate._config(connection), "0005")
        connection.execute(
            text("INSERT INTO providers (id, uuid, name, root_id, created_at) VALUES (1, 'p', 'p', 1, 1)")
        )
        connection.execute(text(f"INSERT INTO provider_aggregates (provider_id, aggregate) VALUES (1, '{AGGREGATE}')"))
    migrate.upgrade(blank_database_url)
    store = open_store(blank_database_url)
    try:
        assert store.read(lambda tx: aggregates.of_provider(tx, 1)) == {AGGREGATE: AGGREGATE}
    finally:
        store.close()
