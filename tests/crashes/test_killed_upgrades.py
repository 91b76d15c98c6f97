"""``dibs db upgrade`` that is killed at any statement, and commit, can be repeated."""

import os
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest
from alembic import command
from sqlalchemy import Engine, event

from dibs.database import migrate, revisions
from dibs.database.engines import mariadb_upgrade
from dibs.wiring.administration import metadata

START = f"{int(revisions.newest()) - 4:04d}"
"""The last migrations are enough: older ones never change, and were killed when they were new."""


def test_upgrade_that_is_killed_before_any_call_can_be_repeated(
    blank_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mariadb_upgrade, "ALIVE_SECONDS", -1)
    with revisions.connected(blank_database_url) as connection, connection.begin():
        command.upgrade(migrate._config(connection), START)
    lives = 1
    while not upgraded_in_a_process(blank_database_url, calls_max=lives):
        lives += 1
    assert lives > 5
    assert migrate.problems(blank_database_url, metadata) == []


def upgraded_in_a_process(url: str, calls_max: int) -> bool:
    """Upgrade in a process that is killed before it sends one call more to the database; return True if it need not."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            kill_after(calls_max)
            migrate.upgrade(url)
            status = 0
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status in (0, -signal.SIGKILL)
    return status == 0


def kill_after(calls: int) -> None:
    """Kill this process after this number of statements and commits."""
    remaining = [calls]

    def count(*arguments: Any) -> None:
        if not remaining[0]:
            os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(60)
        remaining[0] -= 1

    for name in ("before_cursor_execute", "commit"):
        event.listen(Engine, name, count)
    mariadb_upgrade._run = counted(mariadb_upgrade._run, count)


def counted(run: Callable[..., int], count: Callable[[], None]) -> Callable[..., int]:
    """Count the calls that MariaDB's record of its progress makes on the driver."""

    def counting(*arguments: Any) -> int:
        count()
        return run(*arguments)

    return counting
