import pytest

from dibs.access.access import Access
from dibs.access.actor import Actor
from dibs.access.machine_policy import MachinePolicy
from dibs.access.rules import RuleBook
from dibs.errors import Forbidden
from dibs.machines.model.access import SEE_NODE, check_any_rule, check_node, node_target, sees_node
from dibs.machines.model.errors import NodeNotFound
from dibs.machines.model.nodes import Node


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
