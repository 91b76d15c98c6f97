import pytest

from dibs.documents.json_patch import PatchOperation
from dibs.drivers import DRIVERS
from dibs.errors import BadValue
from dibs.machines.model.nodes import Node
from dibs.machines.model.patching.node_patches import changes_of_patch


def edited(node, *operations, reset=False):
    return changes_of_patch(node, operations, DRIVERS, reset_interfaces=reset)


@pytest.fixture
def node():
    """A node with an interface that is not the driver's default."""
    defaults = {f"{kind}_interface": one.default for kind, one in DRIVERS["fake-hardware"].interfaces.items()}
    chosen = {**defaults, "raid_interface": "no-raid"}
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


def test_only_what_changes_is_changed(node):
    assert edited(node) == {}
    assert edited(node, PatchOperation("replace", "/name", "n")) == {}
    assert edited(node, PatchOperation("add", "/extra/b", 2)) == {"extra": {"a": 1, "b": 2}}
    assert edited(node, PatchOperation("remove", "/extra")) == {"extra": {}}


def test_a_removed_attribute_gets_its_default(node):
    assert edited(node, PatchOperation("remove", "/name")) == {"name": None}
    assert edited(node, PatchOperation("remove", "/raid_interface")) == {"raid_interface": "fake"}
    assert edited(node, PatchOperation("remove", "/maintenance")) == {}


def test_words_become_booleans_and_groups_lower_case(node):
    assert edited(node, PatchOperation("add", "/maintenance", "True")) == {"maintenance": True}
    assert edited(node, PatchOperation("add", "/automated_clean", "no")) == {"automated_clean": False}
    assert edited(node, PatchOperation("add", "/conductor_group", "North")) == {"conductor_group": "north"}


def test_a_driver_that_this_process_does_not_know_is_left_to_the_conductors(node):
    assert edited(node, PatchOperation("replace", "/driver", "other")) == {"driver": "other"}
    changes = edited(
        node, PatchOperation("replace", "/driver", "other"), PatchOperation("add", "/raid_interface", "x"), reset=True
    )
    assert (changes["driver"], changes["raid_interface"], changes["power_interface"]) == ("other", "x", None)


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (PatchOperation("remove", "/driver"), "Schema error for patch: 'driver' is a required property"),
        (PatchOperation("add", "/extra", 5), "Schema error for patch: 5 is not of type 'object', 'null' .at extra."),
        (PatchOperation("add", "/chassis_uuid", "c"), "Expected UUID for chassis_uuid: c"),
        (PatchOperation("add", "/maintenance", "perhaps"), "Invalid maintenance: Unrecognized value 'perhaps'"),
        (PatchOperation("add", "/name", "a b"), "Node u: Cannot change name to invalid name 'a b'"),
        (PatchOperation("add", "/name", "detail"), 'The word "detail" is reserved'),
        (PatchOperation("add", "/raid_interface", "x"), "raid interface implementation 'x' is not supported"),
        (PatchOperation("add", "/extra/a", "\0"), "The value at /extra/a contains a NUL character"),
    ],
)
def test_a_patch_that_leads_to_an_impossible_node_is_refused(node, operation, message):
    with pytest.raises(BadValue, match=message):
        edited(node, operation)


def test_the_instance_gets_the_name_that_nova_sends_in_instance_info(node):
    patch = PatchOperation("add", "/instance_info/display_name", "web")
    assert edited(node, patch)["instance_name"] == "web"
    assert edited(node, patch, PatchOperation("add", "/instance_name", "db"))["instance_name"] == "db"
