"""Bare metal: nodes of a client's own, and holds and allocations on a fleet that all clients share."""

from typing import Any

from faults.workload.client import Client
from faults.workload.memory import Document, Key, Memory, State, Step
from tests import fleet

FLEET = 10
NODES_EACH = 6
GRANTS_EACH = 3
V1 = "/baremetal/v1"

VERBS = {
    "enroll": (("manage", "manageable"),),
    "manageable": (("provide", "available"),),
    "available": (("manage", "manageable"), ("active", "active")),
    "active": (("deleted", "available"),),
}
"""The verbs that each state allows, and the states to which they lead."""


def create_node(memory: Memory, _: Client) -> Step | None:
    """Enrol a node."""
    if len(memory.owned("node")) >= NODES_EACH:
        return None
    ident = memory.new_uuid()
    body = {
        "uuid": ident,
        "name": memory.new_name("node"),
        "driver": "fake-hardware",
        "resource_class": "own",
        "automated_clean": False,
        "extra": {"turn": 0},
    }
    state = {"turn": 0, "traits": [], "state": "enroll"}
    key = ("node", ident)
    return Step("create-node", "POST", f"{V1}/nodes", body, {key: state}, then=_next_turn(key, state))


def patch_node(memory: Memory, _: Client) -> Step | None:
    """Change a node."""
    if not memory.owned("node"):
        return None
    key = memory.pick("node")
    return _next_turn(key, memory.known[key])


def _next_turn(key: Key, state: State) -> Step:
    turn = state["turn"] + 1
    body = [{"op": "replace", "path": "/extra/turn", "value": turn}]
    return Step("patch-node", "PATCH", f"{V1}/nodes/{key[1]}", body, {key: {**state, "turn": turn}})


def set_traits(memory: Memory, _: Client) -> Step | None:
    """Replace the traits of a node."""
    if not memory.owned("node"):
        return None
    key = memory.pick("node")
    traits = sorted(f"CUSTOM_T{number}" for number in memory.chance.sample(range(6), memory.chance.randint(0, 4)))
    changes = {key: {**memory.known[key], "traits": traits}}
    return Step("set-traits", "PUT", f"{V1}/nodes/{key[1]}/traits", {"traits": traits}, changes)


def provision(memory: Memory, _: Client) -> Step | None:
    """Send a verb; a conductor carries it out later. While it does so, the next verb is refused."""
    if not memory.owned("node"):
        return None
    key = memory.pick("node")
    verb, state = memory.chance.choice(VERBS[memory.known[key]["state"]])
    changes = {key: {**memory.known[key], "state": state}}
    return Step("provision", "PUT", f"{V1}/nodes/{key[1]}/states/provision", {"target": verb}, changes)


def delete_node(memory: Memory, _: Client) -> Step | None:
    """Delete a node, unless it is deployed."""
    if not memory.owned("node"):
        return None
    key = memory.pick("node")
    if memory.known[key]["state"] == "active":
        return None
    return Step("delete-node", "DELETE", f"{V1}/nodes/{key[1]}", None, {key: None})


def hold(memory: Memory, _: Client) -> Step | None:
    """Hold one of some nodes of the fleet."""
    if len(memory.owned("hold")) >= GRANTS_EACH:
        return None
    instance = memory.new_uuid()
    wanted = [fleet.uuid_of(number) for number in memory.chance.sample(range(FLEET), 3)]

    def learn(document: Document) -> None:
        memory.ids["hold", instance] = document["reservation"]["uuid"]

    body = {"instance_uuid": instance, "node_uuid": wanted}
    return Step("hold", "POST", f"{V1}/reservations", body, {("hold", instance): "held"}, learn)


def drop_hold(memory: Memory, _: Client) -> Step | None:
    """Delete a hold."""
    if not memory.owned("hold"):
        return None
    key = memory.pick("hold")
    return Step("drop-hold", "DELETE", f"{V1}/reservations/{memory.ids[key]}", None, {key: None})


def allocate(memory: Memory, _: Client) -> Step | None:
    """Ask for a node of the fleet: at once, or waiting in the queue until one is free."""
    if len(memory.owned("allocation")) >= GRANTS_EACH:
        return None
    ident = memory.new_uuid()
    body: dict[str, Any] = {"uuid": ident, "name": memory.new_name("allocation"), "resource_class": "fleet"}
    changes = {("allocation", ident): "exists"}
    if memory.chance.random() < 0.5:
        return Step("allocate", "POST", f"{V1}/allocations", body, changes)
    return Step("queue", "POST", "/dibs/v1/allocations", {**body, "wait_seconds": 3_600}, changes)


def allocate_batch(memory: Memory, _: Client) -> Step | None:
    """Ask for two nodes, both or none."""
    if memory.owned("batch"):
        return None
    mark = memory.new_name("batch")

    def learn(document: Document) -> None:
        memory.ids["batch", mark] = " ".join(each["uuid"] for each in document["allocations"])

    body = {"resource_class": "fleet", "count": 2, "wait_seconds": 3_600, "extra": {"batch": mark}}
    return Step("batch", "POST", "/dibs/v1/allocations", body, {("batch", mark): 2}, learn)


def drop_allocation(memory: Memory, _: Client) -> Step | None:
    """Delete an allocation: its node becomes free, and the queue proceeds."""
    if not memory.owned("allocation"):
        return None
    key = memory.pick("allocation")
    return Step("drop-allocation", "DELETE", f"{V1}/allocations/{key[1]}", None, {key: None})


def drop_of_batch(memory: Memory, _: Client) -> Step | None:
    """Delete one allocation of a batch."""
    if not memory.owned("batch"):
        return None
    key = memory.pick("batch")
    uuids = memory.ids[key].split()
    left = memory.known[key] - 1
    return Step("drop-allocation", "DELETE", f"{V1}/allocations/{uuids[left]}", None, {key: left or None})
