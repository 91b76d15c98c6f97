"""Conductors are killed while many leases start and end: every event is executed completely, and once."""

import random
from collections.abc import Callable

from sqlalchemy import func, select

from dibs.database import Store
from dibs.database.runner import Runner
from dibs.leases.model.dates import CURRENT_MINUTE
from dibs.leases.model.leases import ACTIVE, PENDING, TERMINATED
from dibs.leases.operations.leases import create_lease
from dibs.leases.operations.planning import CreateLease
from dibs.leases.tables import leases
from dibs.wiring.hooks import build_runner, read_clock
from tests.bed.forked import ForkedProcess
from tests.bed.waiting import eventually
from tests.builders import Ledger
from tests.laws import broken_laws, read_tables
from tests.lease_builders import OWNER, instances, make_host, whole
from tests.lease_laws import broken_lease_laws

LEASES = 80
DAY = 86_400
SECOND = 1_000_000
COUNT = select(leases.c.status, func.count().label("number")).group_by(leases.c.status)
Spawn = Callable[..., ForkedProcess]


def create_leases(ledger: Ledger, runner: Runner) -> None:
    """Create many leases of instances and of whole hosts with the same start."""
    for _ in range(12):
        make_host(ledger)
    end = read_clock() + DAY * SECOND
    wanted = [whole()] * 3 + [instances(2, vcpus=1, affinity=False)] * (LEASES - 3)
    for number, reservation in enumerate(wanted):
        command = CreateLease(name=f"l-{number}", start_at=CURRENT_MINUTE, end_at=end, reservations=(reservation,))
        runner.write(create_lease, OWNER, command)


def states(store: Store) -> dict[str, int]:
    """Count the leases by state on the rows: listing leases through an operation would slow down the conductors."""
    return {row["status"]: row["number"] for row in store.read(lambda tx: tx.rows(COUNT))}


def broken(url: str) -> list[str]:
    """Return every law of the ledger and of leases that the rows break."""
    tables = read_tables(url)
    return [*broken_laws(tables, machines_only=False), *broken_lease_laws(tables)]


def test_leases_with_the_same_start_all_start(
    ledger: Ledger, store: Store, database_url: str, spawn_conductor: Spawn
) -> None:
    runner = build_runner(store, read_clock)
    create_leases(ledger, runner)
    spawn_conductor("c-0")
    eventually(lambda: states(store) == {ACTIVE: LEASES}, seconds=90, what="the start of every lease")
    assert broken(database_url) == []


def test_leases_survive_repeated_kills_of_conductors(
    ledger: Ledger, store: Store, database_url: str, spawn_conductor: Spawn
) -> None:
    runner = build_runner(store, read_clock)
    create_leases(ledger, runner)
    for ahead, before, after in ((0, PENDING, ACTIVE), (2 * DAY, ACTIVE, TERMINATED)):
        for point in sorted(random.sample(range(1, LEASES), 3)):
            started = [spawn_conductor(name, ahead) for name in ("c-0", "c-1")]
            eventually(lambda point=point, before=before: LEASES - states(store).get(before, 0) >= point, seconds=90)
            for one in started:
                one.kill()
                one.wait()
            assert broken(database_url) == []
        spawn_conductor("c-0", ahead)
        eventually(lambda after=after: states(store) == {after: LEASES}, seconds=120, what=f"every lease in {after}")
        assert broken(database_url) == []
