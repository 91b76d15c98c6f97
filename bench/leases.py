"""Leases with a full calendar: created, refused, listed, and many that start at the same moment.

The calls run in this process, one after the other, because bookings wait for the calendar lock anyway. Each figure is
one transaction with its commit, without HTTP.
"""

import statistics
import time
from collections.abc import Callable, Iterator

from dibs.conductor.leases import LeaseWorker
from dibs.database import open_store
from dibs.leases.model.errors import NotEnoughHosts
from dibs.leases.operations.leases import ListLeases, list_leases
from dibs.leases.operations.planning import ReservationRequest
from tests.builders import Ledger
from tests.lease_builders import OWNER, at, find_later_start, instances, lease, make_host, whole
from tests.provider_builders import statements

HOSTS = 500
LEASES = 1_000
DUE = 200
"""Number of leases that start at the same moment."""
ROUNDS = 30
SPREAD_HOURS = 30 * 24
LATER = 24
"""Hours until the start of the leases that are not due at once."""


def measure_leases(url: str) -> Iterator[str]:
    """Yield lines: milliseconds and statements of each call."""
    store = open_store(url)
    try:
        ledger = Ledger(store)
        _fill(ledger)
        for name, call in _calls(ledger).items():
            times, counts = zip(*(_measured(ledger, call, number) for number in range(ROUNDS)), strict=True)
            yield f"{name:<44}{statistics.median(times) * 1_000:>9.1f} ms, {max(counts)} statements"
        yield _begin_all(ledger)
    finally:
        store.close()


def _fill(ledger: Ledger) -> None:
    for number in range(HOSTS):
        make_host(ledger, f"host-{number}", gpu="a100" if number % 10 == 0 else "none", rack=f"r{number % 20}")
    for number in range(LEASES):
        start = 0 if number < DUE else _start(number)
        lease(ledger, start, start + 4 + number % 48, _reservation(number), seed=number)


def _reservation(number: int) -> ReservationRequest:
    """Every fourth lease has a whole host."""
    return instances(1 + number % 8, vcpus=1 + number % 16) if number % 4 else whole()


def _start(number: int) -> int:
    return LATER + number * 7 % SPREAD_HOURS


def _calls(ledger: Ledger) -> dict[str, Callable[[int], object]]:
    gpu = '["==", "$gpu", "a100"]'

    def make(number: int, *reservations: ReservationRequest) -> object:
        return lease(ledger, _start(number), _start(number) + 24, *reservations, seed=number)

    return {
        "create a lease of a whole host": lambda number: make(number, whole()),
        "create a lease of 4 instances": lambda number: make(number, instances(4)),
        "create a lease of both, with requirements": lambda number: make(
            number, whole(resource_properties=gpu), instances(4, resource_properties=gpu)
        ),
        "refuse a lease": lambda number: _refused(lambda: make(number, whole(HOSTS))),
        "find the earliest start of a refused lease": lambda number: find_later_start(
            ledger, _start(number), _start(number) + 24, whole(HOSTS)
        ),
        f"list {LEASES:,} leases": lambda number: ledger.runner.read(list_leases, OWNER, ListLeases(limit=LEASES)),
    }


def _refused(call: Callable[[], object]) -> None:
    try:
        call()
    except NotEnoughHosts:
        return
    raise RuntimeError("the lease was made")


def _measured(ledger: Ledger, call: Callable[[int], object], number: int) -> tuple[float, int]:
    began = time.perf_counter()
    count = statements(ledger, lambda: call(number))
    return time.perf_counter() - began, count


def _begin_all(ledger: Ledger) -> str:
    ledger.clock.move((at(1) - ledger.clock()) / 1_000_000)
    worker = LeaseWorker(ledger.runner, ledger.clock, reassignment_seconds=0, cleaning_minutes=0)
    began = time.perf_counter()
    done = worker.run_events()
    seconds = time.perf_counter() - began
    if done != DUE:
        raise RuntimeError(f"{done} leases began, not {DUE}")
    return f"{f'begin {DUE} leases due at once':<44}{seconds:>9.2f} s, {DUE / seconds:,.0f} leases/s"
