"""Migrations bring an empty database to the schema that the code describes, on every engine."""

import subprocess
import sys

import pytest
from alembic import command
from sqlalchemy import Column, Index, Integer, MetaData, Table, text

from dibs.database import migrate, revisions
from dibs.database.engines import sqlite, timeouts
from dibs.wiring.administration import metadata


def test_migrated_schema_is_the_one_in_the_code(blank_database_url: str) -> None:
    migrate.upgrade(blank_database_url)
    assert migrate.problems(blank_database_url, metadata) == []


def test_table_that_the_code_does_not_describe_is_a_problem(blank_database_url: str) -> None:
    migrate.upgrade(blank_database_url)
    partial = MetaData()
    *others, left_out = metadata.sorted_tables
    for table in others:
        table.to_metadata(partial)
    assert any(left_out.name in problem for problem in migrate.problems(blank_database_url, partial))


def test_missing_index_is_a_problem(blank_database_url: str) -> None:
    migrate.upgrade(blank_database_url)
    with revisions.connected(blank_database_url) as connection, connection.begin():
        connection.execute(text("CREATE TABLE surplus (id INTEGER PRIMARY KEY, n INTEGER)"))
    described = MetaData()
    for table in metadata.sorted_tables:
        table.to_metadata(described)
    surplus = Table("surplus", described, Column("id", Integer, primary_key=True), Column("n", Integer))
    Index("ix_surplus_n", surplus.c.n)
    assert any("ix_surplus_n" in problem for problem in migrate.problems(blank_database_url, described))


def test_second_upgrade_changes_nothing(blank_database_url: str) -> None:
    migrate.upgrade(blank_database_url)
    migrate.upgrade(blank_database_url)
    assert migrate.problems(blank_database_url, metadata) == []


def test_newer_schema_stays_as_it_is(blank_database_url: str) -> None:
    migrate.upgrade(blank_database_url)
    with revisions.connected(blank_database_url) as connection, connection.begin():
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    migrate.upgrade(blank_database_url)
    assert revisions.current(blank_database_url) == "9999"


def test_upgrade_waits_for_a_transaction_and_lets_requests_pass_meanwhile(
    blank_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A statement that changes a table queues behind its readers, and every other statement behind that one."""
    monkeypatch.setattr(timeouts, "LOCK_SECONDS", 1)
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_MILLISECONDS", 100)
    with revisions.connected(blank_database_url) as connection, connection.begin():
        command.upgrade(migrate._config(connection), "0008")
    with revisions.connected(blank_database_url) as other:
        if other.dialect.name == "sqlite":
            other.exec_driver_sql("BEGIN IMMEDIATE")
        other.exec_driver_sql("SELECT id FROM nodes")

        def end_the_transaction(seconds: float) -> None:
            with revisions.connected(blank_database_url) as request:
                request.exec_driver_sql("SELECT id FROM nodes")
            other.rollback()

        monkeypatch.setattr(migrate.time, "sleep", end_the_transaction)
        migrate.upgrade(blank_database_url)
    assert migrate.problems(blank_database_url, metadata) == []


def test_processes_that_upgrade_at_once_make_one_schema(blank_database_url: str) -> None:
    program = "import sys; from dibs.database.migrate import upgrade; upgrade(sys.argv[1])"
    started = [subprocess.Popen([sys.executable, "-c", program, blank_database_url]) for _ in range(4)]
    assert [process.wait(timeout=60) for process in started] == [0, 0, 0, 0]
    assert migrate.problems(blank_database_url, metadata) == []
