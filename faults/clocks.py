"""Dibs with a clock that the harness can set: runs the normal program with a time that is read from a file.

libfaketime would do this for any program, but breaks the timed waits of Python's threads: each takes 50 ms, or hangs.
"""

import sqlite3
import time
from pathlib import Path
from unittest.mock import patch

from sqlalchemy import text

from dibs.cli.main import main as run_dibs
from dibs.database.engines.sqlite import SQLite


def set_clock(file: Path, seconds: int) -> None:
    """Let the clock of a process differ from that of this machine by this many seconds."""
    written = file.with_suffix(".new")
    written.write_text(str(seconds))
    written.rename(file)


def main(words: list[str]) -> int | None:
    """Run ``dibs`` with the clock of a file, which the first word names."""
    file, *rest = words
    true_time_ns, connect = time.time_ns, SQLite.connect

    def time_ns() -> int:
        return true_time_ns() + int(Path(file).read_text()) * 1_000_000_000

    def connect_with_clock(engine: SQLite, *, writing: bool, upgrading: bool = False) -> sqlite3.Connection:
        connection = connect(engine, writing=writing, upgrading=upgrading)
        connection.create_function("clock_of_file", 0, lambda: time_ns() // 1_000)
        return connection

    with (
        patch.object(time, "time_ns", time_ns),
        patch.object(time, "time", lambda: time_ns() / 1e9),
        patch.object(SQLite, "connect", connect_with_clock),
        patch.object(SQLite, "clock", text("SELECT clock_of_file()")),
    ):
        return run_dibs(rest)
