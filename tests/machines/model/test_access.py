import pytest
from msgspec.structs import replace

from dibs.access.access import Access
from dibs.access.actor import Actor
from dibs.access.machine_policy import RULES, MachinePolicy
from dibs.access.rules import RuleBook
from dibs.errors import BadValue, Forbidden
from dibs.machines.model.access import (
    SEE_NODE,
    check_any_rule,
    check_node,
    check_owner_change,
    node_target,
    owner_of_new_node,
    rules_of_patch,
    sees_node,
)
from dibs.machines.model.errors import NodeNotFound, WrongState
from dibs.machines.model.nodes import Node
from dibs.machines.model.patching.node_attributes import PATCHABLE
from tests.builders import patch_of


def owned_by(owner):
    return Node(id=1, uuid="u", driver="fake-hardware", provision_state="available", owner=owner, created_at=1)


def caller_with(*granted):
    return Access(actor=Actor(user="u"), rules=RuleBook(dict.fromkeys(granted, "@")))


def test_a_reader_sees_the_nodes_of_its_project_only():
    access = MachinePolicy().access(Actor(user="u", project="blue", roles=frozenset({"reader"})))
    assert sees_node(access, owned_by("blue"))
    assert not sees_node(access, owned_by("red"))


def test_a_node_without_owner_does_not_match_a_caller_without_project():
    assert node_target(None, None) == {}
    access = MachinePolicy().access(Actor(user="u", roles=frozenset({"reader"})))
    assert not sees_node(access, owned_by(None))


def test_an_invisible_node_is_not_found_under_the_name_that_the_caller_sent():
    with pytest.raises(NodeNotFound, match="Node web could not be found"):
        check_node(caller_with("update"), owned_by("red"), "web", ("update",))


def test_the_first_rule_that_is_not_granted_is_named():
    check_node(caller_with(SEE_NODE, "a"), owned_by("red"), "u", ("a",))
    with pytest.raises(Forbidden, match="b"):
        check_node(caller_with(SEE_NODE, "a"), owned_by("red"), "u", ("a", "b", "c"))


def test_one_of_several_rules_is_enough():
    check_any_rule(caller_with(SEE_NODE, "b"), owned_by("red"), "u", ("a", "b"))
    with pytest.raises(Forbidden, match="b"):
        check_any_rule(caller_with(SEE_NODE), owned_by("red"), "u", ("a", "b"))
    with pytest.raises(NodeNotFound):
        check_any_rule(caller_with("a"), owned_by("red"), "u", ("a", "b"))


def test_every_patchable_attribute_leads_to_a_rule_that_exists():
    for name in PATCHABLE:
        assert rules_of_patch(patch_of({name: None})) <= RULES.keys()


@pytest.mark.parametrize(
    ("changes", "rules"),
    [
        ({}, {"baremetal:node:update"}),
        ({"description": "x"}, {"baremetal:node:update"}),
        ({"extra": 1, "description": "x"}, {"baremetal:node:update_extra", "baremetal:node:update"}),
        ({"power_interface": "x"}, {"baremetal:node:update:driver_interfaces"}),
        ({"automated_clean": False}, {"baremetal:node:disable_cleaning"}),
        ({"automated_clean": True}, {"baremetal:node:update"}),
        ({"retired_reason": "x"}, {"baremetal:node:update:retired"}),
        ({"maintenance": "yes"}, {"baremetal:node:set_maintenance"}),
        ({"maintenance": None}, {"baremetal:node:clear_maintenance"}),
    ],
)
def test_a_patch_needs_the_rule_of_each_attribute(changes, rules):
    assert rules_of_patch(patch_of(changes)) == rules


def test_a_caller_who_may_create_nodes_chooses_the_owner():
    assert owner_of_new_node(caller_with("baremetal:node:create"), "red") == "red"
    assert owner_of_new_node(caller_with("baremetal:node:create"), None) is None


def test_a_project_admin_creates_nodes_of_its_own_project_only():
    admin = MachinePolicy().access(Actor(user="u", project="blue", roles=frozenset({"admin"})))
    assert owner_of_new_node(admin, None) == owner_of_new_node(admin, "blue") == "blue"
    with pytest.raises(BadValue, match="an owner other than your own project"):
        owner_of_new_node(admin, "red")
    with pytest.raises(Forbidden):
        owner_of_new_node(caller_with(SEE_NODE), None)


def test_the_owner_of_an_active_node_changes_only_with_a_rule_of_its_own():
    active = replace(owned_by("blue"), provision_state="active")
    for patch, node in ((patch_of({"owner": "red"}), owned_by("blue")), (patch_of({"lessee": "red"}), active)):
        check_owner_change(caller_with(SEE_NODE), node, patch)
    check_owner_change(caller_with("baremetal:node:update_owner_provisioned"), active, patch_of({"owner": "red"}))
    with pytest.raises(WrongState, match='Cannot update owner of node "u" while it is in state "active"'):
        check_owner_change(caller_with(SEE_NODE), active, patch_of({"owner": "red"}))
