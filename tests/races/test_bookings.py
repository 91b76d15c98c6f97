"""The law of the calendar under concurrent bookings: no host is booked twice for the same time.

Every caller has its own store, like callers in different processes.
"""

import random
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from dibs.access.access import SERVICE
from dibs.errors import DibsError
from dibs.leases.model.errors import HostBooked, LeaseConflict, NoSuchHost, NotEnoughHosts
from dibs.leases.model.leases import Lease
from dibs.leases.operations.hosts import RegisterHost, delete_host, register_host
from dibs.leases.operations.leases import create_lease
from dibs.leases.operations.planning import CreateLease
from dibs.leases.operations.updates import ReservationUpdate
from dibs.ledger.operations.inventories import PutInventory, change_inventory
from dibs.ledger.queries import providers
from tests.booking_laws import broken_bookings
from tests.builders import Ledger
from tests.laws import read_tables
from tests.lease_builders import (
    at,
    change,
    delete,
    instances,
    lease,
    make_host,
    new_lease,
    register,
    whole,
)
from tests.provider_builders import sizes
from tests.races.crowd import Caller, all_at_once, open_callers

CALLERS = 8
WAIT_SECONDS = 60
ROUNDS = 10


@pytest.fixture
def callers(ledger: Ledger, database_url: str) -> Iterator[list[Caller]]:
    with open_callers(ledger, database_url, CALLERS) as opened:
        yield opened


@pytest.fixture(autouse=True)
def check_bookings_afterwards(database_url: str) -> Iterator[None]:
    yield
    assert broken_bookings(read_tables(database_url)) == []


def won(answers: list[object]) -> list[Lease]:
    """Return the leases that were created; every other answer must be NotEnoughHosts."""
    made = [answer for answer in answers if isinstance(answer, Lease)]
    refused = [answer for answer in answers if isinstance(answer, NotEnoughHosts)]
    assert len(made) + len(refused) == len(answers), answers
    return made


def test_one_of_eight_concurrent_leases_for_a_host_is_created(ledger, callers):
    make_host(ledger)
    for number in range(ROUNDS):
        answers = all_at_once(
            CALLERS, lambda caller, hour=number: lease(callers[caller], hour, hour + 1, whole(), seed=None)
        )
        assert len(won(answers)) == 1


@pytest.mark.server_engines
def test_lease_does_not_wait_for_a_lease_of_other_hosts(ledger, callers):
    """The first transaction stays open, with its hosts locked, until the second has ended."""
    for number in range(12):
        make_host(ledger, gpu="yes" if number < 6 else "no")

    def wanted(gpu: str, hour: int) -> CreateLease:
        return new_lease(hour, hour + 1, whole(resource_properties=f'["==", "$gpu", "{gpu}"]'), seed=None)

    def book_while_another_does(tx, access, now, command):
        made = create_lease(tx, access, now, command)
        with ThreadPoolExecutor(1) as pool:
            other = pool.submit(callers[1].runner.write, create_lease, SERVICE, wanted("no", 1))
            return made, other.result(timeout=WAIT_SECONDS)

    first, second = callers[0].runner.write(book_while_another_does, SERVICE, wanted("yes", 1))
    assert first.uuid != second.uuid


@pytest.mark.server_engines
def test_lease_that_loses_its_host_before_it_is_locked_gets_another(ledger, callers, monkeypatch):
    """Another client books the chosen host between the choice and the lock."""
    ids = {host.provider_id: host.id for host in (make_host(ledger), make_host(ledger))}
    lock, interrupted = providers.lock_many, []

    def book_first(tx, provider_ids, now, **options):
        if not interrupted:
            interrupted.extend(provider_ids)
            lease(callers[1], 1, 2, whole(resource_properties=f'["==", "$id", "{ids[interrupted[0]]}"]'))
        return lock(tx, provider_ids, now, **options)

    monkeypatch.setattr(providers, "lock_many", book_first)
    assert lease(callers[0], 1, 2, whole(), seed=None)
    assert callers[0].store.statistics.reruns == 1


def test_concurrent_leases_book_exactly_the_instances_that_fit(ledger, callers):
    make_host(ledger)
    make_host(ledger)
    for number in range(ROUNDS):
        start = 2 * number
        answers = all_at_once(
            CALLERS,
            lambda caller, start=start: lease(
                callers[caller], start + caller % 2 / 2, start + 2, instances(1, vcpus=20), seed=None
            ),
        )
        assert len(won(answers)) == 6


def test_concurrent_leases_never_share_a_whole_host_with_instances(ledger, callers):
    for _ in range(3):
        make_host(ledger)
    wanted = [whole(1, 3), instances(4, vcpus=16), instances(2, affinity=False), instances(3, vcpus=20, affinity=True)]
    for number in range(ROUNDS):
        answers = all_at_once(
            CALLERS, lambda caller, hour=number: lease(callers[caller], hour, hour + 1, wanted[caller % 4], seed=None)
        )
        assert won(answers)


def test_concurrent_creates_updates_and_deletes_never_book_a_host_twice(ledger, callers):
    """The fixture checks the bookings of all rounds afterwards: no round changes those of another."""
    for _ in range(4):
        make_host(ledger)
    for number in range(ROUNDS):
        chance = random.Random(number)
        made = [lease(ledger, 1000 + 9 * number + k, 1001 + 9 * number + k, whole(1, 2)) for k in range(4)]
        hour = 5 * number

        def move(caller: int, hour: int = hour, made: list[Lease] = made) -> object:
            return change(callers[caller], made[caller], start_at=at(hour), end_at=at(hour + 2))

        def grow(caller: int, made: list[Lease] = made) -> object:
            request = ReservationUpdate(uuid=made[caller].reservations[0].uuid, values={"least": 3, "most": 3})
            return change(callers[caller], made[caller], request, end_at=made[caller].end_at + 3_600_000_000)

        acts: list[Callable[[int], object]] = [
            move,
            grow,
            lambda caller, made=made: delete(callers[caller], made[caller]),
        ]
        plan = [chance.choice(acts) for _ in range(4)]
        answers = all_at_once(
            CALLERS,
            lambda caller, plan=plan, hour=hour: (
                plan[caller](caller) if caller < 4 else lease(callers[caller], hour, hour + 1, whole(), seed=None)
            ),
        )
        assert all(isinstance(each, Lease | NotEnoughHosts) or each is None for each in answers), answers


def test_node_is_either_booked_or_claimed(ledger, callers, database_url):
    for _ in range(ROUNDS):
        node = ledger.enrol(resource_class="gold")
        host = register(ledger, node)
        only = whole(resource_properties=f'["==", "$id", "{host.id}"]')

        def act(caller: int, node=node, only=only) -> object:
            if caller % 2:
                return lease(callers[caller], 1, 2, only, seed=None)
            return Ledger.change(callers[caller], node, instance_uuid=str(uuid.uuid4()))  # type: ignore[arg-type]

        answers = all_at_once(CALLERS, act)
        assert sum(not isinstance(answer, Exception) for answer in answers) == 1, answers
        assert all(isinstance(each, DibsError) for each in answers if isinstance(each, Exception)), answers


def test_host_is_either_booked_or_removed(ledger, callers):
    for number in range(ROUNDS):
        host = make_host(ledger)

        def act(caller: int, host=host, hour: int = number) -> object:
            if caller % 2:
                return lease(callers[caller], hour, hour + 1, whole(), seed=None)
            return callers[caller].runner.write(delete_host, SERVICE, str(host.id))

        answers = all_at_once(CALLERS, act)
        made = [answer for answer in answers if isinstance(answer, Lease)]
        removed = [answer for answer in answers if answer is None]
        assert len(made) + len(removed) == 1, answers
        assert all(
            isinstance(each, NotEnoughHosts | HostBooked | NoSuchHost)
            for each in answers
            if isinstance(each, Exception)
        ), answers
        if made:
            delete(ledger, made[0])
            ledger.runner.write(delete_host, SERVICE, str(host.id))


def test_concurrent_registrations_create_one_host(ledger, callers):
    for number in range(ROUNDS):
        node = ledger.enrol(name=f"n{number}")
        answers = all_at_once(
            CALLERS,
            lambda caller, node=node: callers[caller].runner.write(
                register_host, SERVICE, RegisterHost(name=node.uuid)
            ),
        )
        assert sum(not isinstance(answer, Exception) for answer in answers) == 1, answers
        assert all(isinstance(each, DibsError) for each in answers if isinstance(each, Exception)), answers


def test_host_that_shrinks_while_it_is_booked_keeps_what_was_promised(ledger, callers):
    """The fixture checks afterwards that no booking exceeds the capacity."""
    for number in range(ROUNDS):
        host = make_host(ledger, f"shrinking-{number}", VCPU=64)
        wanted = instances(1, vcpus=40, resource_properties=f'["==", "$id", "{host.id}"]')
        shrink = PutInventory(provider=host.provider, resource_class="VCPU", sizes=sizes(32))
        calls = [
            partial(lease, callers[0], 1, 2, wanted),
            partial(callers[1].runner.write, change_inventory, SERVICE, shrink),
        ]
        answers = all_at_once(2, lambda caller, calls=calls: calls[caller]())
        (refused,) = (answer for answer in answers if isinstance(answer, DibsError))
        assert isinstance(refused, (LeaseConflict, NotEnoughHosts)), answers
