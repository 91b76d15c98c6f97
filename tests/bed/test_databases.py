"""The test bed provides fresh databases, and servers that can be stopped, killed and started again."""

from collections.abc import Callable

import pytest
from sqlalchemy import create_engine, inspect, text

from tests.bed.database_server import DatabaseServer
from tests.bed.session import SERVERS, Bed

DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "mariadb": "mariadb+pymysql"}


def rows_by_table(url: str) -> dict[str, int]:
    """Count the rows of every table of a database."""
    scheme, _, rest = url.partition("://")
    engine = create_engine(f"{DRIVERS[scheme]}://{rest}")
    with engine.connect() as connection:
        tables = inspect(connection).get_table_names()
        counts = {table: connection.scalar(text(f"SELECT count(*) FROM {table}")) for table in tables}
    engine.dispose()
    return counts


def add_row(url: str) -> None:
    """Write a row that the next test must not see."""
    scheme, _, rest = url.partition("://")
    engine = create_engine(f"{DRIVERS[scheme]}://{rest}")
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO resource_classes (name, created_at) VALUES ('CUSTOM_LEFT_BEHIND', 0)"))
    engine.dispose()


def test_fresh_database_has_no_rows_of_the_previous_test(bed: Bed, engine_name: str) -> None:
    databases = bed.databases(engine_name)
    first = databases.fresh()
    untouched = rows_by_table(first)
    add_row(first)
    assert rows_by_table(first) != untouched
    databases.discard(first)
    second = databases.fresh()
    assert rows_by_table(second) == untouched
    databases.discard(second)


def test_two_databases_at_the_same_time_are_separate(bed: Bed, engine_name: str) -> None:
    databases = bed.databases(engine_name)
    first, second = databases.fresh(), databases.fresh()
    add_row(first)
    assert rows_by_table(first) != rows_by_table(second)
    databases.discard(first)
    databases.discard(second)


def test_blank_database_has_no_table(blank_database_url: str) -> None:
    assert rows_by_table(blank_database_url) == {}


@pytest.mark.parametrize("engine", SERVERS)
def test_database_server_can_be_frozen_killed_and_started_again(
    engine: str, database_server: Callable[[str], DatabaseServer]
) -> None:
    server = database_server(engine)
    server.freeze()
    with pytest.raises(ConnectionError):
        server.address.check()
    server.thaw()
    assert server.address.check()
    server.kill()
    with pytest.raises(ConnectionError):
        server.address.check()
    server.start()
    assert server.address.check()


@pytest.mark.parametrize("engine", SERVERS)
def test_removed_server_leaves_no_folder(engine: str, database_server: Callable[[str], DatabaseServer]) -> None:
    server = database_server(engine)
    server.remove()
    assert not server.folder.exists()
