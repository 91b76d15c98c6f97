import pytest

from dibs.dialects.baremetal.documents.node_values import PATCHABLE, read_new_node
from dibs.drivers import DRIVERS
from dibs.errors import BadValue
from dibs.machines.model.patching import node_attributes


def test_a_new_node_gets_the_interfaces_of_its_driver() -> None:
    values = read_new_node({"driver": "fake-hardware", "raid_interface": "no-raid", "name": None}, DRIVERS)
    assert (values["raid_interface"], values["power_interface"]) == ("no-raid", "fake")
    assert "name" not in values


def test_a_driver_that_this_process_does_not_know_is_left_to_the_conductors() -> None:
    assert read_new_node({"driver": "other", "uuid": "u"}, DRIVERS) == {"driver": "other"}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"chassis_uuid": "c"}, "Expected UUID for chassis_uuid: c"),
        ({"name": "a b"}, "Cannot create node with invalid name 'a b'"),
        ({"retired": "perhaps"}, "Invalid retired"),
        ({"power_interface": "x"}, "power interface implementation 'x' is not supported"),
    ],
)
def test_a_value_that_a_node_cannot_have_is_refused(body: dict[str, str], message: str) -> None:
    with pytest.raises(BadValue, match=message):
        read_new_node({"driver": "fake-hardware", **body}, DRIVERS)


def test_every_patchable_attribute_of_the_model_has_a_version() -> None:
    assert PATCHABLE.keys() == set(node_attributes.PATCHABLE)
