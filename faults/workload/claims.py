"""Placement: claims of consumers on shared providers, and inventories that move between providers with their claims."""

from typing import Any

from faults.workload.client import Client
from faults.workload.memory import Key, Memory, Step

POOL = [f"a0000000-0000-4000-8000-00000000000{number}" for number in range(4)]
"""The shared providers. All clients together want more than they have."""
POOL_TOTAL = 12
TREES_EACH = 2
OWNED_MAX = 8


def tree_uuids(client: int, number: int) -> tuple[str, str, str]:
    """Return the uuids of the parent, the child and the consumer of a tree that one client reshapes."""
    parent, child, consumer = (f"a{place}000000-0000-4000-8000-{client:06d}{number:06d}" for place in (1, 2, 3))
    return parent, child, consumer


def _claims(amounts: dict[str, int]) -> dict[str, Any]:
    return {
        "allocations": {provider: {"resources": {"VCPU": amount}} for provider, amount in amounts.items()},
        "project_id": "p",
        "user_id": "u",
    }


def _amounts(memory: Memory) -> dict[str, int]:
    chosen = memory.chance.sample(POOL, memory.chance.choice((1, 1, 2, 3)))
    return {provider: memory.chance.randint(1, 3) for provider in sorted(chosen)}


def claim(memory: Memory, _: Client) -> Step | None:
    """Claim for a new consumer, on one provider or on several."""
    consumer, amounts = memory.new_uuid(), _amounts(memory)
    if len(memory.owned("consumer")) >= OWNED_MAX:
        return None
    return Step(
        "claim", "PUT", f"/placement/allocations/{consumer}", _claims(amounts), {("consumer", consumer): amounts}
    )


def move(memory: Memory, _: Client) -> Step | None:
    """Replace the claims of a consumer."""
    if not memory.owned("consumer"):
        return None
    key, amounts = memory.pick("consumer"), _amounts(memory)
    return Step("move", "PUT", f"/placement/allocations/{key[1]}", _claims(amounts), {key: amounts})


def swap(memory: Memory, _: Client) -> Step | None:
    """Exchange the claims of two consumers in one request."""
    owned = memory.owned("consumer")
    if len(owned) < 2:
        return None
    one, other = memory.chance.sample(owned, 2)
    after: dict[Key, Any] = {one: memory.known[other], other: memory.known[one]}
    body = {key[1]: _claims(amounts) for key, amounts in after.items()}
    return Step("swap", "POST", "/placement/allocations", body, after)


def release(memory: Memory, _: Client) -> Step | None:
    """Release the claims of a consumer."""
    if not memory.owned("consumer"):
        return None
    key = memory.pick("consumer")
    return Step("release", "DELETE", f"/placement/allocations/{key[1]}", None, {key: None})


def look(memory: Memory, client: Client) -> Step | None:
    """Read the claims of a consumer, which must be those that were acknowledged."""
    if not memory.owned("consumer"):
        return None
    key = memory.pick("consumer")
    shown = client.read(f"/placement/allocations/{key[1]}")
    if shown is not None:
        found = {provider: claims["resources"]["VCPU"] for provider, claims in shown["allocations"].items()}
        if found != memory.known[key]:
            client.stale.append(f"a read of consumer {key[1]} shows {found}, acknowledged was {memory.known[key]}")
    return None


def reshape(memory: Memory, client: Client) -> Step | None:
    """Move the inventory of a tree, and the claim on it, to its other provider."""
    if not memory.owned("tree"):
        return None
    key = memory.pick("tree")
    now = memory.known[key]
    parent, child, consumer = tree_uuids(memory.client, int(key[1].rpartition("-")[2]))
    source, target = (parent, child) if now["on"] == "parent" else (child, parent)
    shown = [client.read(f"/placement/resource_providers/{one}") for one in (source, target)]
    if None in shown:
        return None
    moved = {**_claims({target: 3}), "consumer_generation": now["generation"], "consumer_type": "INSTANCE"}
    body = {
        "inventories": {
            source: _inventories(shown[0]["generation"], {}),
            target: _inventories(shown[1]["generation"], {"VCPU": {"total": 4}}),
        },
        "allocations": {consumer: moved},
    }
    after = {"on": "child" if source == parent else "parent", "generation": now["generation"] + 1}
    return Step("reshape", "POST", "/placement/reshaper", body, {key: after})


def _inventories(generation: int, classes: dict[str, Any]) -> dict[str, Any]:
    return {"resource_provider_generation": generation, "inventories": classes}


def prepare_pool(client: Client) -> None:
    """Create the shared providers."""
    for provider in POOL:
        make_provider(client, provider, {"VCPU": POOL_TOTAL})


def prepare_trees(client: Client) -> None:
    """Create the trees of one client, each with a claim on its parent."""
    for number in range(TREES_EACH):
        parent, child, consumer = tree_uuids(client.memory.client, number)
        make_provider(client, parent, {"VCPU": 4})
        make_provider(client, child, {}, parent)
        expect(client, Step("prepare", "PUT", f"/placement/allocations/{consumer}", _claims({parent: 3})))
        client.memory.known["tree", f"{client.memory.client}-{number}"] = {"on": "parent", "generation": 1}


def make_provider(client: Client, provider: str, totals: dict[str, int], parent: str | None = None) -> None:
    """Create a provider with inventories."""
    body = {"uuid": provider, "name": f"p-{provider}", **({"parent_provider_uuid": parent} if parent else {})}
    expect(client, Step("prepare", "POST", "/placement/resource_providers", body))
    inventories = _inventories(0, {name: {"total": total} for name, total in totals.items()})
    expect(client, Step("prepare", "PUT", f"/placement/resource_providers/{provider}/inventories", inventories))


def expect(client: Client, step: Step) -> Any:
    """Send a request that must succeed, before any fault; return the document of its answer."""
    record = client.send(step)
    assert record.acknowledged, record
    return record.answer
