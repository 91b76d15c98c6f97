"""Leases compete with holds, allocations, claims through Placement and instances for the same nodes.

A claim has no end, so a booked node cannot be claimed and a claimed node cannot be booked. A hold has an end, and must
end before the booking begins.
"""

import random

from dibs.access.access import SERVICE
from dibs.allocations.model.allocations import ALLOCATING
from dibs.database import Store
from dibs.database.runner import Runner
from dibs.leases.model.errors import NotEnoughHosts
from dibs.leases.operations.hosts import RegisterHost, register_host
from dibs.leases.operations.leases import create_lease
from dibs.leases.operations.planning import CreateLease, ReservationRequest
from dibs.ledger.model.errors import CapacityExceeded
from dibs.machines.model.errors import NodeAssociated, NodeClaimed, NodeHeld, NothingToHold
from dibs.wiring.hooks import build_runner, read_clock
from tests import fleet
from tests.bed.waiting import eventually
from tests.booking_laws import broken_bookings
from tests.laws import read_tables
from tests.races.crowd import all_at_once
from tests.races.test_allocations import all_allocations, two_conductors
from tests.races.test_competing_claims import NodeClaims

CALLERS = 16
NODES = 24
HOUR = 3_600_000_000
HOLD = 600_000_000
"""The duration of a hold by ``NodeClaims``, in microseconds."""


class BookingsAndClaims(NodeClaims):
    """The ways to claim a node, and a lease that starts in the future."""

    def __init__(self, runner: Runner) -> None:
        super().__init__(runner)
        self.runner = runner

    def book(self, node: str) -> str:
        # Some leases start before a hold created now would expire, and some after.
        start = read_clock() + random.choice((HOLD // 2, HOUR))
        wanted = ReservationRequest(
            resource_type="physical:host", least=1, most=1, resource_properties=f'["==", "$name_of", "{node}"]'
        )
        command = CreateLease(name=node, start_at=start, end_at=start + HOUR, reservations=(wanted,))
        return self.runner.write(create_lease, SERVICE, command).uuid


def test_node_is_never_booked_and_in_use_at_once(store: Store, database_url: str) -> None:
    fleet.fill(database_url, NODES)
    runner = build_runner(store, read_clock)
    for number in range(NODES):
        name = fleet.uuid_of(number)
        runner.write(register_host, SERVICE, RegisterHost(name=name, properties={"name_of": name}))
    claims = BookingsAndClaims(runner)
    ways = [*claims.ways, claims.book, claims.book]

    def claim_every_node(caller: int) -> None:
        for number in range(NODES):
            try:
                ways[(caller + number) % len(ways)](fleet.uuid_of((number + caller // 6) % NODES))
            except (CapacityExceeded, NodeAssociated, NodeClaimed, NodeHeld, NothingToHold, NotEnoughHosts):
                continue

    with two_conductors(runner):
        answers = all_at_once(CALLERS, claim_every_node)
        assert answers == [None] * CALLERS, answers
        eventually(lambda: all(each.state != ALLOCATING for each in all_allocations(runner)), seconds=120)
    tables = read_tables(database_url)
    assert broken_bookings(tables) == []
    node_of = {row["id"]: row["provider_id"] for row in tables["hosts"]}
    booked_from = {node_of[row["host_id"]]: row["start_at"] for row in tables["bookings"]}
    held_until = {row["node_id"]: row["expires_at"] for row in tables["holds"]}
    claimed = {row["provider_id"] for row in tables["claims"]}
    assert booked_from.keys() | claimed == set(node_of.values()), "a node has neither a booking nor a claim"
    assert booked_from, "no lease was created"
    assert claimed - held_until.keys(), "every claim is a hold"
    for node, start in booked_from.items():
        assert node not in claimed or held_until.get(node, start + 1) <= start
