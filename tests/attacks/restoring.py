"""Restore the rows of a database: only tables that differ are written, which is cheaper than the operations again."""

from sqlalchemy import Connection, update

from dibs.ledger.tables import structure_versions
from tests.bed.schema import TABLES
from tests.laws import Row, Tables

_WITHOUT_FOREIGN_KEYS = {
    "sqlite": "PRAGMA foreign_keys = OFF",
    "postgresql": "SET session_replication_role = replica",
    "mariadb": "SET foreign_key_checks = 0",
}
_VERSIONS = structure_versions.name
_RAISE_VERSIONS = update(structure_versions).values(version=structure_versions.c.version + 1)
_READ_VERSIONS = structure_versions.select().order_by(*structure_versions.primary_key)


def allow_any_order(connection: Connection) -> None:
    """Let this connection write a table without the tables that it refers to, or that refer to it."""
    connection.exec_driver_sql(_WITHOUT_FOREIGN_KEYS[connection.dialect.name])
    connection.commit()


def restore_rows(connection: Connection, current: Tables, initial: Tables) -> Tables:
    """Replace the rows of every table that is not as it was initially; return the rows of all tables.

    The versions of the structure rise: a search that compares them must notice that the rows changed once more.
    """
    with connection.begin():
        for table in TABLES:
            if table is not structure_versions and current[table.name] != initial[table.name]:
                connection.execute(table.delete())
                if initial[table.name]:
                    connection.execute(table.insert(), initial[table.name])
        connection.execute(_RAISE_VERSIONS)
        versions: list[Row] = [dict(row) for row in connection.execute(_READ_VERSIONS).mappings()]
    return {**initial, _VERSIONS: versions}
