import pytest
from msgspec.structs import replace

from dibs.errors import BadValue
from dibs.machines.model import states
from dibs.machines.model.errors import NodeAssociated, WrongState
from dibs.machines.model.node_changes import check_change, follow_from_change
from dibs.machines.model.nodes import Node

NODE = Node(id=1, uuid="u", name="n", driver="d", provision_state=states.ENROLL, created_at=0)
MOVING = {"provision_state": states.CLEANING, "target_provision_state": states.AVAILABLE}


@pytest.mark.parametrize(
    ("before", "changes", "error"),
    [
        (MOVING, {"description": "x"}, WrongState),
        ({"instance_uuid": "a"}, {"instance_uuid": "b"}, NodeAssociated),
        ({"provision_state": states.ACTIVE, "resource_class": "gold"}, {"resource_class": "tin"}, WrongState),
        ({"provision_state": states.ACTIVE}, {"boot_interface": "x"}, WrongState),
        ({}, {"protected": True}, WrongState),
        ({}, {"protected_reason": "x"}, BadValue),
        ({"provision_state": states.AVAILABLE}, {"retired": True}, WrongState),
        ({}, {"retired_reason": "x"}, BadValue),
        ({}, {"parent_node": "n"}, BadValue),
    ],
)
def test_a_change_that_the_state_forbids_is_refused(before, changes, error):
    node = replace(NODE, **before)
    with pytest.raises(error):
        check_change(node, replace(node, **changes))


@pytest.mark.parametrize(
    ("before", "changes"),
    [
        ({**MOVING, "maintenance": True, "instance_uuid": "a"}, {"instance_uuid": None}),
        ({"provision_state": states.ACTIVE, "maintenance": True}, {"boot_interface": "x"}),
        ({"provision_state": states.ACTIVE}, {"protected": True, "protected_reason": "x"}),
        ({"provision_state": states.ACTIVE}, {"resource_class": "gold"}),
        ({}, {"retired": True, "retired_reason": "x"}),
    ],
)
def test_a_change_that_the_state_allows_passes(before, changes):
    node = replace(NODE, **before)
    check_change(node, replace(node, **changes))


def test_the_reason_goes_with_maintenance_protection_and_retirement():
    before = replace(NODE, maintenance=True, protected=True, retired=True)
    after = replace(before, maintenance=False, protected=False, retired=False)
    assert follow_from_change(before, before) == {}
    assert follow_from_change(before, after) == {
        "maintenance_reason": None,
        "fault": None,
        "protected_reason": None,
        "retired_reason": None,
    }
