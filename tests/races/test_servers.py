"""Servers that race for places, with each other and with those who claim through Placement."""

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
PLACES = 10


def statuses(answers: list[ServerView | Exception]) -> tuple[int, int]:
    """How many are placed and how many are not; nobody gets anything else."""
    views = [answer for answer in answers if isinstance(answer, ServerView)]
    assert len(views) == len(answers), [answer for answer in answers if not isinstance(answer, ServerView)]
    lost = [view for view in views if view.status == "ERROR"]
    assert all(view.fault and view.fault.startswith("No valid host was found. There is no room") for view in lost)
    return len(views) - len(lost), len(lost)


def used(ledger: Ledger, provider: str) -> int:
    def look(tx: Transaction) -> int:
        found = inventories.of_providers(tx, list(providers.ids_of(tx, [provider]).values()))
        return next(each.used for each in found.values() if each.resource_class == "VCPU")

    return ledger.store.read(look)


def test_of_32_servers_for_10_places_on_one_host_exactly_10_are_active(ledger: Ledger) -> None:
    size = flavor(ledger)
    for _ in range(5):
        place = host(ledger, vcpus=PLACES)
        answers = all_at_once(CROWD, lambda _: launch(ledger, size))
        assert statuses(answers) == (PLACES, CROWD - PLACES)
        assert used(ledger, place.uuid) == PLACES


def test_of_32_servers_for_10_hosts_with_a_place_each_exactly_10_are_active(ledger: Ledger) -> None:
    size = flavor(ledger)
    places = [host(ledger, vcpus=1) for _ in range(PLACES)]
    answers = all_at_once(CROWD, lambda _: launch(ledger, size))
    assert statuses(answers) == (PLACES, CROWD - PLACES)
    assert [used(ledger, place.uuid) for place in places] == [1] * PLACES


def test_of_32_servers_for_10_nodes_exactly_10_are_built(ledger: Ledger) -> None:
    kind = node_flavor(ledger, "gold")
    machines = [ledger.enrol(resource_class="gold") for _ in range(PLACES)]
    answers = all_at_once(CROWD, lambda _: launch(ledger, kind))
    assert statuses(answers) == (PLACES, CROWD - PLACES)
    carried = {ledger.node(machine).instance_uuid for machine in machines}
    assert carried == {
        answer.server.uuid for answer in answers if isinstance(answer, ServerView) and answer.status == "BUILD"
    }


def test_servers_and_claims_through_placement_never_exceed_a_host(ledger: Ledger) -> None:
    size = flavor(ledger)
    for _ in range(5):
        place = host(ledger, vcpus=PLACES)

        def either(number: int, provider: str = place.uuid) -> ServerView | None:
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
        assert claimed + sum(view.status == "ACTIVE" for view in views) == PLACES == used(ledger, place.uuid)


def test_servers_that_come_and_go_leave_nothing_behind(ledger: Ledger) -> None:
    size = flavor(ledger)
    place = host(ledger, vcpus=3)

    def come_and_go(_: int) -> None:
        for _ in range(5):
            delete(ledger, launch(ledger, size))

    assert all_at_once(8, come_and_go) == [None] * 8
    assert used(ledger, place.uuid) == 0
