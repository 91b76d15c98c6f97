"""Create, read and use holds in tests."""

import uuid

import pytest

from dibs.access.access import SERVICE, Access
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.operations.claims import ReplaceClaims, list_claims_of_consumer, replace_claims
from dibs.machines.model.errors import HoldNotFound
from dibs.machines.model.holds import Hold
from dibs.machines.model.nodes import Node
from dibs.machines.operations.holds import CreateHold, consume_for_allocation, create_hold, get_hold
from dibs.machines.operations.node_claims import NewInstance, associate
from dibs.machines.operations.provisioning import RequestProvision, request_provision
from dibs.machines.queries import nodes
from tests.builders import Ledger, trusted

BLUE = trusted(user="b", project="blue", roles=frozenset({"member", "reader"}))
RED = trusted(user="r", project="red", roles=frozenset({"admin", "member", "reader"}))
SYSTEM_READER = trusted(user="s", roles=frozenset({"reader"}), system_scope=True)
FREE = {"resource_class": "CUSTOM_GOLD", "reserved": 0, "used": 0}
TAKEN = {"resource_class": "CUSTOM_GOLD", "reserved": 0, "used": 1}


def new() -> str:
    return str(uuid.uuid4())


def hold(ledger: Ledger, *tried: Node | str, access: Access = BLUE, instance: str | None = None, **options) -> Hold:
    idents = tuple(each if isinstance(each, str) else each.uuid for each in tried)
    values = {"uuid": new(), "instance_uuid": instance or new(), "nodes": idents, "seconds": 60}
    return ledger.runner.write(create_hold, access, CreateHold(**{**values, **options}))


def show(ledger: Ledger, made: Hold, access: Access = BLUE) -> Hold:
    return ledger.runner.read(get_hold, access, made.uuid)


def gone(ledger: Ledger, made: Hold, access: Access = BLUE) -> bool:
    with pytest.raises(HoldNotFound):
        show(ledger, made, access)
    return True


def deploy(ledger: Ledger, node: Node, proof: str | None = None, access: Access = BLUE) -> Node:
    command = RequestProvision(ident=node.uuid, rules=(), verb="active", hold_uuid=proof)
    return ledger.runner.write(request_provision, access, command)


def claim(ledger: Ledger, node: Node, consumer: str) -> None:
    request = ClaimRequest(consumer=consumer, resources={node.uuid: {"CUSTOM_GOLD": 1}}, project_id="p", user_id="u")
    ledger.runner.write(replace_claims, SERVICE, ReplaceClaims(requests=(request,)))


def claimed_by(ledger: Ledger, consumer: str) -> list[str]:
    rows = ledger.runner.read(list_claims_of_consumer, SERVICE, consumer)
    return [row["provider"] for row in rows]


def put(ledger: Ledger, node: Node, **changes: object) -> Node:
    """Write attributes of a node without checking any rule."""
    return ledger.store.write(
        lambda tx: nodes.update(tx, nodes.lock(tx, node.uuid, ledger.clock()), ledger.clock(), **changes)
    )


def consume(ledger: Ledger, proof: str, consumer: str, access: Access = BLUE) -> Node:
    def operation(tx, access, now, command):
        node = consume_for_allocation(tx, access, now, proof=proof)
        associate(tx, now, [NewInstance(node, consumer)])
        return nodes.update(tx, node, now, instance_uuid=consumer)

    return ledger.runner.write(operation, access, None)
