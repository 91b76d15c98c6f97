"""Concurrent launches of servers, and concurrent claims through Placement."""

import uuid

from dibs.access.access import SERVICE
from dibs.database.transaction import Transaction
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.model.errors import CapacityExceeded
from dibs.ledger.operations.claims import ReplaceClaims, replace_claims
from dibs.ledger.queries import inventories, providers
from dibs.servers.model.servers import ServerView
from tests.builders import Ledger
from tests.races.crowd import all_at_once
from tests.server_builders import delete, flavor, host, launch, node_flavor

CROWD = 32
ROOM = 10
ROUNDS = 3


def statuses(answers: list[ServerView | Exception]) -> tuple[int, int]:
    """Return how many servers got a host and how many did not; no launch may raise."""
    views = [answer for answer in answers if isinstance(answer, ServerView)]
    assert len(views) == len(answers), [answer for answer in answers if not isinstance(answer, ServerView)]
    failed = [view for view in views if view.status == "ERROR"]
    assert all(view.fault and view.fault.startswith("No valid host was found. There is no room") for view in failed)
    return len(views) - len(failed), len(failed)


def used(ledger: Ledger, provider: str) -> int:
    def look(tx: Transaction) -> int:
        found = inventories.of_providers(tx, list(providers.ids_of(tx, [provider]).values()))
        return next(each.used for each in found.values() if each.resource_class == "VCPU")

    return ledger.store.read(look)


def test_exactly_10_of_32_servers_fit_on_a_host_with_room_for_10(ledger: Ledger) -> None:
    size = flavor(ledger)
    for _ in range(ROUNDS):
        compute = host(ledger, vcpus=ROOM)
        answers = all_at_once(CROWD, lambda _: launch(ledger, size))
        assert statuses(answers) == (ROOM, CROWD - ROOM)
        assert used(ledger, compute.uuid) == ROOM


def test_exactly_10_of_32_servers_fit_on_10_hosts_with_room_for_one_each(ledger: Ledger) -> None:
    size = flavor(ledger)
    hosts = [host(ledger, vcpus=1) for _ in range(ROOM)]
    answers = all_at_once(CROWD, lambda _: launch(ledger, size))
    assert statuses(answers) == (ROOM, CROWD - ROOM)
    assert [used(ledger, compute.uuid) for compute in hosts] == [1] * ROOM


def test_exactly_10_of_32_servers_are_built_on_10_nodes(ledger: Ledger) -> None:
    kind = node_flavor(ledger, "gold")
    machines = [ledger.enrol(resource_class="gold") for _ in range(ROOM)]
    answers = all_at_once(CROWD, lambda _: launch(ledger, kind))
    assert statuses(answers) == (ROOM, CROWD - ROOM)
    instances = {ledger.node(machine).instance_uuid for machine in machines}
    assert instances == {
        answer.server.uuid for answer in answers if isinstance(answer, ServerView) and answer.status == "BUILD"
    }


def test_servers_and_claims_through_placement_never_exceed_the_capacity_of_a_host(ledger: Ledger) -> None:
    size = flavor(ledger)
    for _ in range(ROUNDS):
        compute = host(ledger, vcpus=ROOM)

        def either(number: int, provider: str = compute.uuid) -> ServerView | None:
            if number % 2:
                return launch(ledger, size)
            request = ClaimRequest(
                consumer=str(uuid.uuid4()), resources={provider: {"VCPU": 1}}, project_id="p", user_id="u"
            )
            ledger.runner.write(replace_claims, SERVICE, ReplaceClaims(requests=(request,)))
            return None

        answers = all_at_once(CROWD, either)
        claimed = sum(answer is None for answer in answers)
        refused = sum(isinstance(answer, CapacityExceeded) for answer in answers)
        views = [answer for answer in answers if isinstance(answer, ServerView)]
        assert claimed + refused == len(views) == CROWD // 2, answers
        assert claimed + sum(view.status == "ACTIVE" for view in views) == ROOM == used(ledger, compute.uuid)


def test_concurrent_launches_and_deletes_leave_no_claim(ledger: Ledger) -> None:
    size = flavor(ledger)
    compute = host(ledger, vcpus=3)

    def launch_and_delete(_: int) -> None:
        for _ in range(5):
            delete(ledger, launch(ledger, size))

    assert all_at_once(8, launch_and_delete) == [None] * 8
    assert used(ledger, compute.uuid) == 0


def test_clients_that_launch_and_delete_on_one_host_never_deadlock(ledger: Ledger) -> None:
    """The launch locks the host before it inserts the server: the insert's foreign key takes a shared lock on MariaDB,
    and two transactions that both hold one cannot both go on to the exclusive lock."""
    size = flavor(ledger)
    compute = host(ledger, vcpus=100, disk_gb=100)
    before = ledger.store.statistics.reruns

    def launch_and_delete(_: int) -> None:
        for _ in range(5):
            delete(ledger, launch(ledger, size))

    assert all_at_once(8, launch_and_delete) == [None] * 8
    assert ledger.store.statistics.reruns == before
    assert used(ledger, compute.uuid) == 0
