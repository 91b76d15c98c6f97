"""Many conductors start the same leases together: each lease starts once.

Every conductor has its own store, like conductors in different processes.
"""

from collections import Counter

from dibs.access.access import SERVICE
from dibs.conductor.leases import LeaseWorker
from dibs.leases.model.leases import ACTIVE
from dibs.leases.operations.starting.together import StartLeases, start_leases
from tests import event_rows
from tests.builders import Ledger
from tests.laws import broken_laws, read_tables
from tests.lease_builders import NO_NOTICE, at, instances, lease, make_host, whole
from tests.lease_laws import broken_lease_laws
from tests.races.crowd import all_at_once, open_callers

CONDUCTORS = 4
ROUNDS = 5
LEASES = 12


def make_leases(ledger: Ledger, round_number: int) -> list[str]:
    """Make leases that share hosts and start an hour after those of the round before; wait until then."""
    made = []
    start = 1 + 2 * round_number
    for number in range(LEASES):
        wanted = instances(2, vcpus=8) if number % 3 else whole()
        made.append(lease(ledger, start, 30, wanted, seed=number, rules=NO_NOTICE))
    ledger.clock.move((at(start) - ledger.clock()) / 1_000_000)
    return [each.uuid for each in made]


def assert_started_once(ledger: Ledger, database_url: str, made: list[str]) -> None:
    rows = event_rows.rows(ledger.store)
    started = Counter(row["object_id"] for row in rows if row["type"] == "lease.started")
    assert started == dict.fromkeys(made, 1)
    tables = read_tables(database_url)
    assert {row["status"] for row in tables["leases"]} == {ACTIVE}
    assert [*broken_laws(tables, machines_only=False), *broken_lease_laws(tables)] == []


def test_each_lease_of_a_batch_starts_once(ledger: Ledger, database_url: str) -> None:
    for _ in range(LEASES * ROUNDS):
        make_host(ledger)
    made: list[str] = []
    with open_callers(ledger, database_url, CONDUCTORS) as conductors:
        for round_number in range(ROUNDS):
            batch = make_leases(ledger, round_number)
            made += batch

            def start(number: int, batch: list[str] = batch) -> int:
                turned = batch if number % 2 else batch[::-1]
                runner = conductors[number].runner
                return runner.write(start_leases, SERVICE, StartLeases(leases=tuple(turned))).count

            counts = all_at_once(CONDUCTORS, start)
            assert all(isinstance(count, int) for count in counts), counts
            done = LeaseWorker(ledger.runner, ledger.clock, reassignment_seconds=0, cleaning_minutes=0).run_events()
            # A conductor leaves out what another one has locked at this moment.
            assert sum(counts) + done == LEASES
            assert_started_once(ledger, database_url, made)


def test_conductors_start_all_due_leases_between_them(ledger: Ledger, database_url: str) -> None:
    for _ in range(LEASES * ROUNDS):
        make_host(ledger)
    made = [uuid for round_number in range(ROUNDS) for uuid in make_leases(ledger, round_number)]
    with open_callers(ledger, database_url, CONDUCTORS) as conductors:

        def run(number: int) -> int:
            runner = conductors[number].runner
            worker = LeaseWorker(runner, ledger.clock, reassignment_seconds=0, cleaning_minutes=0)
            return sum(iter(worker.run_events, 0))

        counts = all_at_once(CONDUCTORS, run)
    assert all(isinstance(count, int) for count in counts), counts
    left = LeaseWorker(ledger.runner, ledger.clock, reassignment_seconds=0, cleaning_minutes=0).run_events()
    assert sum(counts) + left == len(made)
    assert_started_once(ledger, database_url, made)
