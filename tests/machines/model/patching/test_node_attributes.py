import pytest

from dibs.errors import BadValue
from dibs.machines.model.nodes import Node
from dibs.machines.model.patching.node_attributes import ATTRIBUTES, NEW_NODE, PATCHABLE, PATCHED_NODE, read_value


def test_every_attribute_that_dibs_has_is_a_field_of_a_node():
    assert set(PATCHABLE) <= ATTRIBUTES.keys() <= set(Node.__struct_fields__)


def test_defaults_are_those_of_a_new_node():
    node = Node(id=1, uuid="u", driver="d", provision_state="enroll", created_at=0)
    for name in PATCHABLE:
        if name != "driver":
            assert getattr(node, name) == ATTRIBUTES[name].default, name


def test_protection_cannot_be_created_and_the_uuid_cannot_be_patched():
    assert "protected" not in NEW_NODE["properties"]
    assert "uuid" not in PATCHED_NODE["properties"]


def test_null_is_the_default_and_each_default_is_a_copy():
    assert read_value("conductor_group", None) == ""
    read_value("extra", None)["a"] = 1
    assert read_value("extra", None) == {}


def test_values_are_read_by_their_kind():
    assert read_value("retired", "yes") is True
    assert read_value("conductor_group", "North") == "north"
    with pytest.raises(BadValue, match="Expected UUID for instance_uuid: x"):
        read_value("instance_uuid", "x")
