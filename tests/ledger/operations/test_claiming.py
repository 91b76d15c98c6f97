"""The writer of claims: all or nothing, events, and the units of nodes."""

import pytest
from msgspec.structs import replace

from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.model.errors import CapacityExceeded, ConsumerGenerationConflict
from dibs.ledger.model.events import CapacityFreed
from dibs.ledger.operations import claiming
from dibs.ledger.queries import claim_views
from dibs.machines.model.errors import NodeAssociated, NodeClaimed
from dibs.machines.operations import node_claims
from dibs.machines.operations.node_claims import NewInstance
from tests.builders import Ledger
from tests.provider_builders import claim, make, statements

ME = "11111111-1111-4111-8111-111111111111"
OTHER = "22222222-2222-4222-8222-222222222222"


def test_a_unit_that_another_consumer_has_is_refused_and_the_error_names_it(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold")
    ledger.run(lambda tx: node_claims.associate(tx, 1, [NewInstance(node, OTHER)]))
    with pytest.raises(NodeClaimed, match=OTHER):
        ledger.change(node, instance_uuid=ME)
    assert ledger.node(node).instance_uuid is None


def test_an_instance_that_claims_its_unit_again_changes_nothing(ledger: Ledger) -> None:
    """Nova claims through Placement first and sets instance_uuid afterwards."""
    node = ledger.enrol(resource_class="gold")
    ledger.run(lambda tx: node_claims.associate(tx, 1, [NewInstance(node, ME)]))
    ledger.change(node, instance_uuid=ME)
    assert ledger.unit(node) == {"resource_class": "CUSTOM_GOLD", "reserved": 0, "used": 1}
    assert len(ledger.store.read(lambda tx: claim_views.on_provider(tx, node.id))) == 1


def test_a_release_keeps_the_consumers_claims_on_other_nodes(ledger: Ledger) -> None:
    first, second = ledger.enrol(resource_class="gold"), ledger.enrol(resource_class="gold")
    for node in (first, second):
        ledger.run(lambda tx, node=node: node_claims.associate(tx, 1, [NewInstance(node, ME)]))
    ledger.run(lambda tx: node_claims.release(tx, 2, replace(first, instance_uuid=ME)))
    assert [unit["used"] for node in (first, second) if (unit := ledger.unit(node))] == [0, 1]


def test_the_unit_of_a_node_with_an_instance_cannot_be_released(ledger: Ledger) -> None:
    """Another consumer could claim a machine that runs."""
    node = ledger.enrol(resource_class="gold")
    ledger.change(node, instance_uuid=ME)
    empty = ClaimRequest(consumer=ME, project_id="p", user_id="u")
    for release in (
        lambda tx: claiming.release_all(tx, 3, ME),
        lambda tx: claiming.replace_claims(tx, 3, [empty]),
    ):
        with pytest.raises(NodeAssociated, match=node.uuid):
            ledger.run(release)
    assert ledger.unit(node) == {"resource_class": "CUSTOM_GOLD", "reserved": 0, "used": 1}
    ledger.change(node, instance_uuid=None)
    assert ledger.unit(node) == {"resource_class": "CUSTOM_GOLD", "reserved": 0, "used": 0}


def test_a_node_for_a_consumer_increments_the_consumers_generation(ledger: Ledger) -> None:
    first, second = ledger.enrol(resource_class="gold"), ledger.enrol(resource_class="gold")
    unit = {"CUSTOM_GOLD": 1}
    request = ClaimRequest(consumer=ME, resources={first.uuid: unit}, generation=None, project_id="p", user_id="u")
    ledger.run(lambda tx: claiming.replace_claims(tx, 3, [request]))
    ledger.change(second, instance_uuid=ME)
    with pytest.raises(ConsumerGenerationConflict):
        ledger.run(lambda tx: claiming.replace_claims(tx, 4, [replace(request, generation=1)]))


def test_a_release_publishes_freed_capacity_and_a_claim_does_not(ledger: Ledger) -> None:
    provider = make(ledger, VCPU=4)
    freed: list[str] = []
    ledger.runner.subscribe(CapacityFreed, lambda: freed.append("freed"))
    consumer = claim(ledger, provider, VCPU=1)
    assert freed == []
    ledger.run(lambda tx: claiming.release_all(tx, 5, consumer))
    assert freed == ["freed"]


def test_a_refused_request_keeps_the_claims_of_all_consumers(ledger: Ledger) -> None:
    provider = make(ledger, VCPU=4)
    consumer = claim(ledger, provider, VCPU=1)
    requests = [
        ClaimRequest(consumer=consumer, resources={provider.uuid: {"VCPU": 2}}),
        ClaimRequest(consumer=ME, resources={provider.uuid: {"VCPU": 3}}),
    ]
    with pytest.raises(CapacityExceeded):
        ledger.run(lambda tx: claiming.replace_claims(tx, 3, requests))
    rows = ledger.store.read(lambda tx: claim_views.on_provider(tx, provider.id))
    assert [(row["consumer"], row["amount"]) for row in rows] == [(consumer, 1)]


def test_claims_take_few_statements_however_many_they_are(ledger: Ledger) -> None:
    uuids = [make(ledger, VCPU=8, MEMORY_MB=8).uuid for _ in range(4)]

    def replaced(count: int, turn: int) -> int:
        requests = [
            ClaimRequest(
                consumer=f"{number}{count}111111-1111-4111-8111-111111111111",
                resources={uuids[(number + turn) % 4]: {"VCPU": 1, "MEMORY_MB": 1}},
                project_id="p",
                user_id="u",
                generation=turn or None,
            )
            for number in range(count)
        ]
        return statements(ledger, lambda: ledger.run(lambda tx: claiming.replace_claims(tx, 1, requests)))

    assert [replaced(count, turn) for turn in (0, 1) for count in (1, 3)] == [11, 11, 16, 16]
