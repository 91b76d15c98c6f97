"""``dibs db upgrade`` that is killed at any statement, and commit, can be repeated."""

import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from alembic import command
from sqlalchemy import Engine, event

from dibs.database import migrate, revisions
from dibs.database.engines import mariadb_upgrade
from dibs.wiring.administration import metadata
from tests.bed.galera import NODES, GaleraCluster

START = f"{int(revisions.newest()) - 4:04d}"
"""The last migrations are enough: older ones never change, and were killed when they were new."""


def test_upgrade_that_is_killed_before_any_call_can_be_repeated(
    blank_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mariadb_upgrade, "ALIVE_SECONDS", -1)
    upgrade_to_start(blank_database_url)
    lives = 1
    while not upgraded_in_a_process(blank_database_url, calls_max=lives):
        lives += 1
    assert lives > 5
    assert migrate.problems(blank_database_url, metadata) == []


@pytest.mark.before_release
@pytest.mark.needs_engine("mariadb")
def test_upgrade_that_is_killed_can_be_repeated_through_another_galera_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mariadb_upgrade, "ALIVE_SECONDS", -1)
    cluster = GaleraCluster()
    try:
        cluster.execute("CREATE DATABASE dibs")
        upgrade_to_start(cluster.url("dibs"))
        lives = 1
        while not upgraded_in_a_process(cluster.url("dibs", first=lives % NODES), calls_max=lives):
            lives += 1
        assert lives > 5
        assert migrate.problems(cluster.url("dibs"), metadata) == []
    finally:
        cluster.remove()


@pytest.mark.before_release
@pytest.mark.needs_engine("mariadb")
def test_upgrades_through_all_galera_nodes_at_once_succeed() -> None:
    cluster = GaleraCluster()
    try:
        cluster.execute("CREATE DATABASE dibs")
        with ThreadPoolExecutor() as pool:
            urls = [cluster.url("dibs", first) for first in range(NODES)]
            assert all(pool.map(lambda url: upgraded_in_a_process(url, calls_max=10**6), urls))
        assert migrate.problems(cluster.url("dibs"), metadata) == []
    finally:
        cluster.remove()


def upgrade_to_start(url: str) -> None:
    with revisions.connected(url) as connection, connection.begin():
        command.upgrade(migrate._config(connection), START)


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
