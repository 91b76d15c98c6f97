"""Upgrades of MariaDB that are killed, and that run at the same time."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import make_url

from dibs.database import migrate, revisions
from dibs.database.engines import mariadb_upgrade
from dibs.database.engines.mariadb import MariaDB
from dibs.database.engines.mariadb_upgrade import UpgradeFailed
from dibs.wiring.administration import metadata
from tests.bed.session import Bed

pytestmark = pytest.mark.needs_engine("mariadb")


class Killed(BaseException):
    """The process ends here: nothing of Dibs runs after it."""


@pytest.fixture
def url(bed: Bed) -> Iterator[str]:
    url = bed.databases("mariadb").blank()
    yield url
    bed.databases("mariadb").discard(url)


@pytest.fixture
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the lock of a killed upgrade end at once."""
    monkeypatch.setattr(mariadb_upgrade, "ALIVE_SECONDS", -1)


def test_upgrade_that_is_killed_at_every_statement_can_be_repeated(
    url: str, no_wait: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = mariadb_upgrade._Steps._record
    killed: set[tuple[str | None, int, bool]] = set()
    versions: list[str | None] = [None]

    def die_once_at_each_place(steps: Any, *, begun: bool) -> None:
        """Die after a step was begun and before it is made, and after it was made and before that is recorded."""
        place = (versions[0], steps._step, begun)
        if begun:
            record(steps, begun=True)
        # Half of the steps die at each of the two moments, which covers both and takes half of the time.
        if place not in killed and (steps._step + begun) % 2 == 0:
            killed.add(place)
            raise Killed
        if not begun:
            record(steps, begun=False)

    monkeypatch.setattr(mariadb_upgrade._Steps, "_record", die_once_at_each_place)
    for _ in range(1_000):
        versions[0] = revisions.current(url)
        try:
            migrate.upgrade(url)
            break
        except Killed:
            continue
    assert len(killed) > 30
    assert migrate.problems(url, metadata) == []


def test_statement_that_fails_is_not_taken_for_done(url: str) -> None:
    address = make_url(url)
    driver = MariaDB([address]).connect(writing=True)
    with driver, driver.cursor() as cursor:
        cursor.execute("CREATE TABLE conductors (other INTEGER)")
        for _ in range(2):
            with pytest.raises(Exception, match="conductors"):
                migrate.upgrade(url)
        cursor.execute("DROP TABLE conductors")
    migrate.upgrade(url)
    assert migrate.problems(url, metadata) == []


def test_upgrade_waits_for_one_on_another_connection(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock is a row and not a named lock, which is invisible to the other nodes of a Galera cluster."""
    monkeypatch.setattr(mariadb_upgrade, "WAIT_SECONDS", 0)
    engine = MariaDB([make_url(url)])
    connected = revisions.connected(url, upgrading=True)
    with connected as connection, engine.upgrade(connection), pytest.raises(UpgradeFailed, match="Another process"):
        migrate.upgrade(url)
    migrate.upgrade(url)


def test_upgrade_that_lost_its_lock_changes_nothing_more(url: str, no_wait: None) -> None:
    engine = MariaDB([make_url(url)])
    connected = revisions.connected(url, upgrading=True)
    lost = pytest.raises(UpgradeFailed, match="stopped for too long")
    with connected as connection, lost, engine.upgrade(connection):
        migrate.upgrade(url)
        connection.exec_driver_sql("CREATE TABLE late (id INTEGER)")
    assert migrate.problems(url, metadata) == []


def test_statements_of_an_upgrade_have_no_time_limit(url: str) -> None:
    with revisions.connected(url, upgrading=True) as connection:
        assert connection.exec_driver_sql("SELECT @@max_statement_time").scalar() == 0
