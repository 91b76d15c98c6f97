"""Reshape: inventories and the claims on them move together, in a number of statements that does not grow."""

import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.model.errors import (
    CapacityExceeded,
    ConsumerGenerationConflict,
    InventoryInUse,
    ProviderGenerationConflict,
    ProviderNotFound,
    ProviderOwnedByNode,
)
from dibs.ledger.model.providers import Provider
from dibs.ledger.operations.claims import list_claims_of_consumer
from dibs.ledger.operations.inventories import SetInventories, list_inventories
from dibs.ledger.operations.reshaping import Reshape, reshape
from tests.builders import Ledger
from tests.provider_builders import claim, make, now, sizes, statements

UNKNOWN = "99999999-9999-4999-8999-999999999999"


def offer(provider: Provider, generation: int | None = None, **totals: int) -> SetInventories:
    known = provider.generation if generation is None else generation
    return SetInventories(
        provider=provider.uuid, generation=known, sizes={name: sizes(total) for name, total in totals.items()}
    )


def request(consumer: str, provider: Provider, generation: int = 1, **amounts: int) -> ClaimRequest:
    resources = {provider.uuid: amounts}
    return ClaimRequest(consumer=consumer, resources=resources, generation=generation, project_id="p", user_id="u")


def put(ledger: Ledger, inventories: list[SetInventories], *requests: ClaimRequest) -> None:
    ledger.runner.write(reshape, SERVICE, Reshape(inventories=tuple(inventories), requests=requests))


def amounts(ledger: Ledger, provider: Provider) -> dict[str, tuple[int, int]]:
    """Return the total and the used amount of each class."""
    found = ledger.runner.read(list_inventories, SERVICE, provider.uuid)
    return {name: (inventory.total, inventory.used) for name, inventory in found.inventories.items()}


def test_an_inventory_moves_to_a_child_with_its_claims(ledger: Ledger) -> None:
    root = make(ledger, VCPU=8, VGPU=4)
    child = make(ledger, parent=root)
    consumer = claim(ledger, root, VGPU=2)
    root = now(ledger, root)
    put(ledger, [offer(root, VCPU=16), offer(child, VGPU=4)], request(consumer, child, VGPU=2))
    assert amounts(ledger, root) == {"VCPU": (16, 0)}
    assert amounts(ledger, child) == {"VGPU": (4, 2)}
    (held,) = ledger.runner.read(list_claims_of_consumer, SERVICE, consumer)
    assert held["provider"] == child.uuid


def test_generations_are_incremented_at_each_step(ledger: Ledger) -> None:
    """Once for new inventories, once for claims, once for removed inventories, as in Placement."""
    root, child, idle = make(ledger, VGPU=4), make(ledger), make(ledger, VCPU=1)
    consumer = claim(ledger, root, VGPU=2)
    root = now(ledger, root)
    put(ledger, [offer(root), offer(child, VGPU=4), offer(idle, VCPU=2)], request(consumer, child, VGPU=2))
    steps = [now(ledger, each).generation - each.generation for each in (root, child, idle)]
    assert steps == [1, 3, 2]


@pytest.mark.parametrize("claimed", [0, 1])
def test_a_claimed_inventory_is_not_removed(ledger: Ledger, claimed: int) -> None:
    pair = [make(ledger, VGPU=4), make(ledger, VGPU=4)]
    claim(ledger, pair[claimed], VGPU=1)
    pair = [now(ledger, each) for each in pair]
    with pytest.raises(InventoryInUse, match=f"'VGPU' on resource provider '{pair[claimed].uuid}'"):
        put(ledger, [offer(each) for each in pair])
    assert [amounts(ledger, each)["VGPU"][0] for each in pair] == [4, 4]


def test_claims_must_fit_into_the_new_inventories(ledger: Ledger) -> None:
    provider = make(ledger, VGPU=4)
    consumer = claim(ledger, provider, VGPU=2)
    provider = now(ledger, provider)
    with pytest.raises(CapacityExceeded):
        put(ledger, [offer(provider, VGPU=3)], request(consumer, provider, VGPU=3), request_of_new_consumer(provider))
    assert amounts(ledger, provider) == {"VGPU": (4, 2)}


def request_of_new_consumer(provider: Provider) -> ClaimRequest:
    resources = {provider.uuid: {"VGPU": 1}}
    return ClaimRequest(consumer=str(uuid.uuid4()), resources=resources, generation=None, project_id="p", user_id="u")


def test_stale_generations_are_refused_by_name(ledger: Ledger) -> None:
    fresh, stale = make(ledger), make(ledger, VCPU=1)
    with pytest.raises(ProviderGenerationConflict, match=stale.uuid):
        put(ledger, [offer(fresh, VCPU=1), offer(stale, generation=0, VCPU=1)])
    consumer = claim(ledger, stale, VCPU=1)
    with pytest.raises(ConsumerGenerationConflict):
        put(ledger, [offer(fresh, VCPU=1)], request(consumer, fresh, generation=7, VCPU=1))
    assert amounts(ledger, fresh) == {}


def test_unknown_providers_and_nodes_are_refused_by_name(ledger: Ledger) -> None:
    provider = make(ledger)
    missing = SetInventories(provider=UNKNOWN, generation=0, sizes={})
    with pytest.raises(ProviderNotFound, match=UNKNOWN):
        put(ledger, [offer(provider, VCPU=1), missing])
    node = ledger.enrol(name="rack-1", resource_class="gold")
    owned = SetInventories(provider=node.uuid, generation=None, sizes={"VCPU": sizes(1)})
    with pytest.raises(ProviderOwnedByNode, match="rack-1"):
        put(ledger, [offer(provider, VCPU=1), owned])
    assert amounts(ledger, provider) == {}


def test_twenty_providers_take_as_many_statements_as_one(ledger: Ledger) -> None:
    counts = []
    for number in (1, 20):
        old = [make(ledger, VGPU=4, VCPU=8) for _ in range(number)]
        new = [make(ledger, parent=each) for each in old]
        consumers = [claim(ledger, each, VGPU=1) for each in old]
        offers = [offer(now(ledger, each), VCPU=9) for each in old] + [offer(each, VGPU=4) for each in new]
        requests = [request(consumer, each, VGPU=1) for consumer, each in zip(consumers, new, strict=True)]
        counts.append(statements(ledger, lambda offers=offers, requests=requests: put(ledger, offers, *requests)))
        assert all(amounts(ledger, each) == {"VGPU": (4, 1)} for each in new)
        assert all(amounts(ledger, each) == {"VCPU": (9, 0)} for each in old)
    # The versions of several buckets are locked in order first.
    assert counts[1] <= counts[0] + 1
