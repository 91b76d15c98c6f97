from typing import Any

import pytest

from dibs.dialects.baremetal.documents.node_values import node_editor
from dibs.dialects.baremetal.documents.patching import apply_patch, given_values, root_of
from dibs.dialects.baremetal.errors import Refusal
from dibs.drivers import DRIVERS
from dibs.machines.model.nodes import Node


def op(kind: str, path: str, *value: Any) -> dict[str, Any]:
    return {"op": kind, "path": path} | ({"value": value[0]} if value else {})


def test_operations_are_applied_in_order_to_a_copy() -> None:
    document = {"extra": {"a": [1]}, "name": "x"}
    patched = apply_patch(document, [op("add", "/extra/a/-", 2), op("replace", "/extra/a/0", 0), op("remove", "/name")])
    assert patched == {"extra": {"a": [0, 2]}}
    assert document == {"extra": {"a": [1]}, "name": "x"}


def test_a_value_used_twice_is_not_shared() -> None:
    value: dict[str, Any] = {}
    operations = [op("add", "/extra/a", value), op("add", "/extra/a/b", 1)]
    apply_patch({"extra": {}}, operations)
    assert value == {}


@pytest.mark.parametrize(
    "operation",
    [
        op("remove", "/extra/none"),
        op("replace", "/extra/none", 1),
        op("add", "/name/deeper", 1),
        op("add", "/number/deeper", 1),
        op("add", "/nothing/deeper", 1),
        op("add", "/list/x", 1),
        op("add", "/list/99", 1),
        op("add", "/list/-5", 1),
        op("remove", "/list/-"),
        op("replace", "/list/99999999999999999999", 1),
        op("add", "/extra/~x", 1),
        op("add", "/none/at/all", 1),
    ],
    ids=lambda operation: f"{operation['op']} {operation['path']}",
)
def test_an_operation_that_leads_nowhere_is_named(operation: dict[str, Any]) -> None:
    document = {"extra": {}, "name": "x", "number": 5, "nothing": None, "list": [1]}
    with pytest.raises(Refusal) as caught:
        apply_patch(document, [operation])
    assert caught.value.status == 400
    assert operation["path"] in caught.value.message


def test_the_attribute_is_the_first_part_of_the_path() -> None:
    assert root_of(op("add", "/extra/a/b", 1)) == "extra"
    assert root_of(op("add", "/a~1b~0c", 1)) == "a/b~c"
    assert given_values([op("add", "/owner", "x"), op("remove", "/name")]) == [("owner", "x"), ("name", None)]


def edited(node: Node, *operations: dict[str, Any], reset: bool = False) -> dict[str, Any]:
    return node_editor(operations, DRIVERS, reset)(node)


@pytest.fixture
def node() -> Node:
    """A node with an interface that is not the driver's first choice."""
    defaults = {f"{kind}_interface": one.default for kind, one in DRIVERS["fake-hardware"].interfaces.items()}
    chosen: dict[str, Any] = {**defaults, "raid_interface": "no-raid"}
    return Node(
        id=1,
        uuid="u",
        driver="fake-hardware",
        provision_state="enroll",
        created_at=1,
        name="n",
        extra={"a": 1},
        **chosen,
    )


def test_only_what_changes_is_changed(node: Node) -> None:
    assert edited(node) == {}
    assert edited(node, op("replace", "/name", "n")) == {}
    assert edited(node, op("add", "/extra/b", 2)) == {"extra": {"a": 1, "b": 2}}
    assert edited(node, op("remove", "/extra")) == {"extra": {}}


def test_a_removed_attribute_is_what_it_is_when_nobody_says_anything(node: Node) -> None:
    assert edited(node, op("remove", "/name")) == {"name": None}
    assert edited(node, op("remove", "/raid_interface")) == {"raid_interface": "fake"}
    assert edited(node, op("remove", "/maintenance")) == {}


def test_words_become_truths_and_groups_small_letters(node: Node) -> None:
    assert edited(node, op("add", "/maintenance", "True")) == {"maintenance": True}
    assert edited(node, op("add", "/automated_clean", "no")) == {"automated_clean": False}
    assert edited(node, op("add", "/conductor_group", "North")) == {"conductor_group": "north"}


def test_a_driver_that_nobody_here_has_is_left_to_the_conductors(node: Node) -> None:
    assert edited(node, op("replace", "/driver", "other")) == {"driver": "other"}
    changes = edited(node, op("replace", "/driver", "other"), op("add", "/raid_interface", "x"), reset=True)
    assert (changes["driver"], changes["raid_interface"], changes["power_interface"]) == ("other", "x", None)
