"""Chassis, and the nodes in them."""

import uuid

import pytest

from dibs.access.access import EVERY_PROJECT, SERVICE
from dibs.errors import BadValue, Forbidden
from dibs.machines.model.chassis import Chassis, ChassisQuery
from dibs.machines.model.errors import ChassisExists, ChassisNotEmpty, ChassisNotFound
from dibs.machines.model.node_query import Equals, NodeQuery
from dibs.machines.operations.chassis import (
    CreateChassis,
    UpdateChassis,
    create_chassis,
    delete_chassis,
    get_chassis,
    list_chassis,
    update_chassis,
)
from dibs.machines.operations.nodes import list_nodes
from tests.builders import Ledger, granted, patch_of

UNKNOWN = "00000000-0000-4000-8000-000000000000"


def build(ledger: Ledger, description: str | None = None) -> Chassis:
    command = CreateChassis(uuid=str(uuid.uuid4()), description=description, extra={})
    return ledger.runner.write(create_chassis, SERVICE, command)


def test_a_chassis_is_created_shown_changed_and_deleted(ledger: Ledger) -> None:
    chassis = build(ledger, "rack 1")
    assert ledger.runner.read(get_chassis, SERVICE, chassis.uuid) == chassis
    command = UpdateChassis(uuid=chassis.uuid, patch=patch_of({"description": "rack 2", "extra": {"a": 1}}))
    after = ledger.runner.write(update_chassis, SERVICE, command)
    assert (after.description, after.extra) == ("rack 2", {"a": 1})
    ledger.runner.write(delete_chassis, SERVICE, chassis.uuid)
    with pytest.raises(ChassisNotFound):
        ledger.runner.read(get_chassis, SERVICE, chassis.uuid)
    with pytest.raises(ChassisNotFound):
        ledger.runner.write(delete_chassis, SERVICE, chassis.uuid)


def test_two_chassis_cannot_have_one_uuid(ledger: Ledger) -> None:
    command = CreateChassis(uuid=build(ledger).uuid, description=None, extra={})
    with pytest.raises(ChassisExists):
        ledger.runner.write(create_chassis, SERVICE, command)


def test_chassis_are_listed_in_order_and_pages(ledger: Ledger) -> None:
    made = [build(ledger, name) for name in ("b", "a", None)]
    query = ChassisQuery(sort_key="description", limit=2)
    page = ledger.runner.read(list_chassis, SERVICE, query)
    assert [each.description for each in page] == [None, "a"]
    after = ChassisQuery(sort_key="description", limit=2, marker=page[-1].uuid)
    assert ledger.runner.read(list_chassis, SERVICE, after) == [made[0]]
    with pytest.raises(ChassisNotFound):
        ledger.runner.read(list_chassis, SERVICE, ChassisQuery(marker=UNKNOWN))


def test_a_chassis_with_nodes_cannot_be_deleted(ledger: Ledger) -> None:
    chassis = build(ledger)
    node = ledger.enrol(chassis_uuid=chassis.uuid)
    with pytest.raises(ChassisNotEmpty, match="contains nodes"):
        ledger.runner.write(delete_chassis, SERVICE, chassis.uuid)
    assert ledger.change(node, chassis_uuid=None).chassis_uuid is None
    ledger.runner.write(delete_chassis, SERVICE, chassis.uuid)


def test_a_node_enters_only_a_chassis_that_exists(ledger: Ledger) -> None:
    with pytest.raises(BadValue, match=f"Chassis {UNKNOWN} could not be found"):
        ledger.enrol(chassis_uuid=UNKNOWN)
    node, chassis = ledger.enrol(), build(ledger)
    with pytest.raises(BadValue, match=f"Chassis {UNKNOWN} could not be found"):
        ledger.change(node, chassis_uuid=UNKNOWN)
    assert ledger.change(node, chassis_uuid=chassis.uuid).chassis_uuid == chassis.uuid


def test_nodes_are_listed_by_chassis(ledger: Ledger) -> None:
    chassis = build(ledger)
    node = ledger.enrol(chassis_uuid=chassis.uuid)
    ledger.enrol()

    def listed(uuid: str) -> list[str]:
        conditions = (Equals("chassis_uuid", uuid),)
        query = NodeQuery(columns=frozenset({"uuid"}), conditions=conditions, projects=EVERY_PROJECT)
        return list(ledger.runner.read(list_nodes, SERVICE, query).columns["uuid"])

    assert listed(chassis.uuid) == [node.uuid]
    with pytest.raises(ChassisNotFound):
        listed(UNKNOWN)


def test_chassis_need_their_rules(ledger: Ledger) -> None:
    chassis = build(ledger)
    reader = granted("baremetal:chassis:get")
    assert ledger.runner.read(get_chassis, reader, chassis.uuid) == chassis
    with pytest.raises(Forbidden):
        ledger.runner.write(delete_chassis, reader, chassis.uuid)
