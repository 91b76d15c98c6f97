import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url

from dibs.database.engines.sqlite import READER_STATEMENTS, WRITER_STATEMENTS, SQLite
from dibs.errors import BadValue


def engine(path: Path) -> SQLite:
    return SQLite(make_url(f"sqlite:///{path}"))


def test_memory_database_is_refused() -> None:
    with pytest.raises(BadValue, match="needs a file"):
        SQLite(make_url("sqlite://"))


def test_file_exists_only_after_the_first_connection(tmp_path: Path) -> None:
    found = engine(tmp_path / "new" / "x.sqlite")
    assert not found.exists()
    found.connect(writing=True).close()
    assert found.exists()


def test_reading_connection_cannot_write(tmp_path: Path) -> None:
    found = engine(tmp_path / "x.sqlite")
    found.connect(writing=True).close()
    connection = found.connect(writing=False)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("CREATE TABLE a (b)")
    connection.close()


def test_connection_that_writes_keeps_the_statements_of_many_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, connect = [], sqlite3.connect

    def note(*args: Any, **options: Any) -> sqlite3.Connection:
        kept.append(options["cached_statements"])
        return connect(*args, **options)

    monkeypatch.setattr(sqlite3, "connect", note)
    for writing in (True, False):
        engine(tmp_path / "x.sqlite").connect(writing=writing).close()
    assert kept == [WRITER_STATEMENTS, READER_STATEMENTS]
    assert WRITER_STATEMENTS > READER_STATEMENTS


def test_savepoint_of_many_pages_opens_no_file(tmp_path: Path) -> None:
    connection = engine(tmp_path / "x.sqlite").connect(writing=True)
    connection.execute("CREATE TABLE a (b)")
    connection.executemany("INSERT INTO a VALUES (?)", [("x" * 3_000,)] * 40)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("SAVEPOINT one")
    before = len(os.listdir("/dev/fd"))
    connection.execute("UPDATE a SET b = b || 'y'")
    assert len(os.listdir("/dev/fd")) == before
    connection.close()


def test_duplicate_has_the_name_of_the_convention(tmp_path: Path) -> None:
    found = engine(tmp_path / "x.sqlite")
    connection = found.connect(writing=True)
    connection.execute("CREATE TABLE a (b, c, UNIQUE (b, c))")
    connection.execute("INSERT INTO a VALUES (1, 2)")
    with pytest.raises(sqlite3.IntegrityError) as caught:
        connection.execute("INSERT INTO a VALUES (1, 2)")
    assert found.duplicate(caught.value) == "uq_a_b_c"
    connection.close()


def test_lock_of_another_process_is_refused_and_not_unavailable(tmp_path: Path) -> None:
    found = engine(tmp_path / "x.sqlite")
    holder, other = found.connect(writing=True), found.connect(writing=True)
    other.execute("PRAGMA busy_timeout = 0")
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(sqlite3.OperationalError) as caught:
        other.execute("BEGIN IMMEDIATE")
    assert found.refused(caught.value)
    assert not found.unavailable(caught.value)
    holder.close()
    other.close()


def modes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}


def test_new_file_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    """It holds the passwords of machines' management controllers."""
    connection = engine(tmp_path / "x.sqlite").connect(writing=True)
    connection.execute("CREATE TABLE a (b)")
    assert modes(tmp_path) == dict.fromkeys(["x.sqlite", "x.sqlite-wal", "x.sqlite-shm"], 0o600)
    connection.close()


def test_existing_file_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "x.sqlite").touch()
    (tmp_path / "x.sqlite").chmod(0o640)
    connection = engine(tmp_path / "x.sqlite").connect(writing=True)
    connection.execute("CREATE TABLE a (b)")
    assert modes(tmp_path) == dict.fromkeys(["x.sqlite", "x.sqlite-wal", "x.sqlite-shm"], 0o640)
    connection.close()
