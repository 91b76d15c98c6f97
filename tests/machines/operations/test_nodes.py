"""Operations on nodes, their errors, and the order of the errors."""

import uuid
from typing import Any

import pytest

from dibs.access.access import EVERY_PROJECT, SERVICE
from dibs.errors import BadValue, DibsError, Forbidden
from dibs.ledger.queries import claim_views
from dibs.machines.model import states
from dibs.machines.model.access import SEE_NODE
from dibs.machines.model.errors import (
    NoConductorForDriver,
    NodeAssociated,
    NodeLocked,
    NodeNotFound,
    NodeProtected,
    WrongState,
)
from dibs.machines.model.node_query import NodeQuery
from dibs.machines.model.nodes import Node
from dibs.machines.operations.nodes import (
    CreateNode,
    GetNode,
    SetMaintenance,
    UpdateNode,
    create_node,
    delete_node,
    get_node,
    list_nodes,
    set_maintenance,
    update_node,
)
from dibs.machines.queries import nodes
from tests.builders import Ledger, granted, patch_of

INSTANCE = "11111111-1111-4111-8111-111111111111"


def force(ledger: Ledger, node: Node, **changes: Any) -> Node:
    """Write attributes of a node without checking any rule."""

    def change(tx):  # type: ignore[no-untyped-def]
        locked = nodes.lock(tx, node.uuid, ledger.clock())
        assert locked is not None
        return nodes.update(tx, locked, ledger.clock(), **changes)

    return ledger.store.write(change)


def delete(ledger: Ledger, node: Node) -> None:
    ledger.runner.write(delete_node, SERVICE, node.uuid)


def test_a_node_is_found_by_uuid_in_either_case_and_by_name(ledger: Ledger) -> None:
    node = ledger.enrol(name="rack-1")
    for ident in (node.uuid, node.uuid.upper(), "rack-1"):
        assert ledger.runner.read(get_node, SERVICE, GetNode(ident=ident, rules=())).node == node


@pytest.mark.parametrize("ident", ["nobody", "00000000-0000-4000-8000-000000000000"])
def test_a_node_that_does_not_exist_is_not_found(ledger: Ledger, ident: str) -> None:
    commands = [
        (get_node, GetNode(ident=ident, rules=())),
        (update_node, UpdateNode(ident=ident, rules=(), patch=())),
        (delete_node, ident),
        (set_maintenance, SetMaintenance(ident=ident, rules=(), on=True)),
    ]
    for operation, command in commands:
        with pytest.raises(NodeNotFound, match=ident):
            ledger.runner.write(operation, SERVICE, command)  # type: ignore[arg-type]


def test_a_list_after_a_marker_that_does_not_exist_is_refused(ledger: Ledger) -> None:
    query = NodeQuery(columns=frozenset(), projects=EVERY_PROJECT, marker="00000000-0000-4000-8000-000000000000")
    with pytest.raises(NodeNotFound):
        ledger.runner.read(list_nodes, SERVICE, query)


def test_the_rules_are_checked_before_anything_is_written(ledger: Ledger) -> None:
    node = ledger.enrol()
    commands = [
        (update_node, UpdateNode(ident=node.uuid, rules=("r",), patch=patch_of({"description": "mine"}))),
        (delete_node, node.uuid),
        (set_maintenance, SetMaintenance(ident=node.uuid, rules=("r",), on=True)),
    ]
    for operation, command in commands:
        with pytest.raises(Forbidden):
            ledger.runner.write(operation, granted(SEE_NODE), command)  # type: ignore[arg-type]
        with pytest.raises(NodeNotFound):
            ledger.runner.write(operation, granted("r"), command)  # type: ignore[arg-type]
    assert ledger.node(node) == node


def test_a_caller_without_the_rule_creates_no_node(ledger: Ledger) -> None:
    command = CreateNode(uuid=str(uuid.uuid4()), values={"driver": "fake-hardware", "owner": "blue"})
    with pytest.raises(Forbidden):
        ledger.runner.write(create_node, granted(SEE_NODE), command)
    admin = granted("baremetal:node:create:self_owned_node", project="red")
    with pytest.raises(BadValue, match="other than your own project"):
        ledger.runner.write(create_node, admin, command)
    assert ledger.runner.write(create_node, granted("baremetal:node:create"), command).node.owner == "blue"


def test_a_driver_without_a_conductor_is_refused(ledger: Ledger) -> None:
    with pytest.raises(NoConductorForDriver, match="driver nosuch"):
        ledger.enrol(driver="nosuch")
    with pytest.raises(NoConductorForDriver, match='conductor group "rack-9"'):
        ledger.enrol(conductor_group="rack-9")


def test_the_unit_follows_the_node_from_enrolment_to_deletion(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="bm.gpu", state=states.ENROLL)
    assert ledger.unit(node) == {"resource_class": "CUSTOM_BM_GPU", "reserved": 1, "used": 0}
    force(ledger, node, provision_state=states.AVAILABLE)
    assert ledger.unit(node) == {"resource_class": "CUSTOM_BM_GPU", "reserved": 0, "used": 0}
    ledger.runner.write(set_maintenance, SERVICE, SetMaintenance(ident=node.uuid, rules=(), on=True))
    assert ledger.unit(node) == {"resource_class": "CUSTOM_BM_GPU", "reserved": 1, "used": 0}
    delete(ledger, node)
    assert ledger.unit(node) is None


def test_an_instance_claims_the_unit_and_releases_it(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold")
    ledger.change(node, instance_uuid=INSTANCE)
    assert ledger.unit(node) == {"resource_class": "CUSTOM_GOLD", "reserved": 0, "used": 1}
    held = ledger.store.read(lambda tx: claim_views.on_provider(tx, node.id))
    assert [(claim["consumer"], claim["amount"]) for claim in held] == [(INSTANCE, 1)]
    ledger.change(node, instance_uuid=None)
    assert ledger.unit(node) == {"resource_class": "CUSTOM_GOLD", "reserved": 0, "used": 0}
    assert ledger.store.read(lambda tx: claim_views.on_provider(tx, node.id)) == []


def test_the_claim_follows_the_resource_class(ledger: Ledger) -> None:
    node = ledger.enrol(instance_uuid=INSTANCE)
    assert ledger.unit(node) is None
    ledger.change(node, resource_class="gold")
    assert ledger.unit(node) == {"resource_class": "CUSTOM_GOLD", "reserved": 0, "used": 1}
    ledger.change(node, resource_class="silver")
    assert ledger.unit(node) == {"resource_class": "CUSTOM_SILVER", "reserved": 0, "used": 1}


REFUSED_CHANGES: list[tuple[dict[str, Any], dict[str, Any], type[DibsError], str]] = [
    ({"reservation": "conductor-9"}, {"description": "x"}, NodeLocked, "locked by host conductor-9"),
    (
        {"provision_state": states.DEPLOYING, "target_provision_state": states.ACTIVE},
        {"description": "x"},
        WrongState,
        "while a state transition is in progress",
    ),
    ({"instance_uuid": INSTANCE}, {"instance_uuid": str(uuid.uuid4())}, NodeAssociated, INSTANCE),
    (
        {"provision_state": states.ACTIVE, "resource_class": "gold"},
        {"resource_class": "silver"},
        WrongState,
        "resource_class",
    ),
    ({"provision_state": states.ACTIVE}, {"boot_interface": "fake"}, WrongState, "boot_interface"),
    ({"provision_state": states.AVAILABLE}, {"protected": True}, WrongState, "'active' or 'rescue'"),
    ({}, {"protected_reason": "why"}, BadValue, "protected_reason"),
    ({"provision_state": states.AVAILABLE}, {"retired": True}, WrongState, "'retired'"),
    ({}, {"retired_reason": "why"}, BadValue, "retired_reason"),
    ({}, {"parent_node": "nobody"}, BadValue, "parent_node"),
    ({}, {"driver": "nosuch"}, NoConductorForDriver, "nosuch"),
]


@pytest.mark.parametrize(("condition", "changes", "error", "words"), REFUSED_CHANGES)
def test_changes_that_the_state_of_a_node_forbids_are_refused(
    ledger: Ledger, condition: dict[str, Any], changes: dict[str, Any], error: type[DibsError], words: str
) -> None:
    node = force(ledger, ledger.enrol(), **condition)
    with pytest.raises(error, match=words):
        ledger.change(node, **changes)
    assert ledger.node(node) == node


def test_a_node_is_not_its_own_parent(ledger: Ledger) -> None:
    node = ledger.enrol(name="self")
    for ident in (node.uuid, "self"):
        with pytest.raises(BadValue, match="own parent"):
            ledger.change(node, parent_node=ident)


def test_clearing_maintenance_protection_and_retirement_clears_their_reasons(ledger: Ledger) -> None:
    node = force(
        ledger,
        ledger.enrol(),
        maintenance=True,
        maintenance_reason="fan",
        fault="power failure",
        protected=True,
        protected_reason="mine",
        retired=True,
        retired_reason="old",
    )
    after = ledger.change(node, maintenance=False, protected=False, retired=False)
    assert (after.maintenance_reason, after.fault) == (None, None)
    assert (after.protected_reason, after.retired_reason) == (None, None)


UNDELETABLE: list[tuple[dict[str, Any], type[DibsError], str]] = [
    ({"reservation": "conductor-9"}, NodeLocked, "conductor-9"),
    ({"instance_uuid": INSTANCE}, NodeAssociated, INSTANCE),
    ({"protected": True, "provision_state": states.ACTIVE}, NodeProtected, "protected"),
    ({"provision_state": states.ACTIVE}, WrongState, "maintenance mode"),
]


@pytest.mark.parametrize(("condition", "error", "words"), UNDELETABLE)
def test_a_node_in_use_or_protected_cannot_be_deleted(
    ledger: Ledger, condition: dict[str, Any], error: type[DibsError], words: str
) -> None:
    node = force(ledger, ledger.enrol(), **condition)
    with pytest.raises(error, match=words):
        delete(ledger, node)
    assert ledger.node(node) == node


def test_a_broken_node_can_be_deleted_in_maintenance_with_its_claim(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold")
    ledger.change(node, instance_uuid=INSTANCE)
    force(ledger, node, maintenance=True, provision_state=states.ERROR)
    delete(ledger, node)
    assert ledger.store.read(lambda tx: claim_views.on_provider(tx, node.id)) == []
    again = ledger.enrol(resource_class="gold", instance_uuid=INSTANCE)
    assert ledger.unit(again) == {"resource_class": "CUSTOM_GOLD", "reserved": 0, "used": 1}


def test_requests_about_one_node_take_a_constant_number_of_statements(ledger: Ledger) -> None:
    counts: dict[int, list[int]] = {}
    for fleet in (1, 30):
        fleet_nodes = [ledger.enrol(resource_class="gold", with_traits=("CUSTOM_A", "CUSTOM_B")) for _ in range(fleet)]
        node = fleet_nodes[0]
        measured = []
        for action in (
            lambda node=node: ledger.runner.read(get_node, SERVICE, GetNode(ident=node.uuid, rules=())),
            lambda node=node: ledger.change(node, description="new"),
            lambda node=node: ledger.change(node, instance_uuid=str(uuid.uuid4())),
            lambda node=node: ledger.change(node, instance_uuid=None),
            lambda node=node: delete(ledger, node),
        ):
            before = ledger.store.statistics.statements
            action()
            measured.append(ledger.store.statistics.statements - before)
        counts[fleet] = measured
    assert counts[1] == counts[30]
    assert max(counts[1]) <= 15
