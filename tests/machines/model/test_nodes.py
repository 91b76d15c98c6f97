import pytest
from msgspec.structs import replace

from dibs.errors import BadValue
from dibs.machines.model import states
from dibs.machines.model.nodes import Node, check_new_name, check_node_name, is_free, is_uuid

FREE = Node(
    id=1,
    uuid="u",
    driver="d",
    provision_state=states.AVAILABLE,
    power_state=states.POWER_OFF,
    resource_class="bm.gold",
    created_at=0,
)


def test_the_unit_of_a_free_node_is_not_reserved():
    assert (FREE.deployable, FREE.units_reserved, is_free(FREE)) == (True, 0, True)
    assert FREE.inventory_class == "CUSTOM_BM_GOLD"
    assert replace(FREE, resource_class=None).inventory_class is None


@pytest.mark.parametrize(
    "changes",
    [
        {"provision_state": states.MANAGEABLE},
        {"maintenance": True},
        {"retired": True},
        {"power_state": None},
        {"power_state": states.POWER_ERROR},
    ],
)
def test_the_unit_of_a_node_that_cannot_be_deployed_is_reserved(changes):
    node = replace(FREE, **changes)
    assert (node.deployable, node.units_reserved, is_free(node)) == (False, 1, False)


def test_the_claim_of_an_instance_replaces_the_reserved_unit():
    node = replace(FREE, provision_state=states.ACTIVE, instance_uuid="i")
    assert (node.units_reserved, is_free(node)) == (0, False)


def test_a_locked_node_is_not_free():
    assert not is_free(replace(FREE, reservation="conductor-1"))


def test_a_uuid_has_dashes():
    assert is_uuid("11111111-2222-4333-8444-ABCDEF555501")
    assert not is_uuid("11111111222243338444555555555501")


@pytest.mark.parametrize("name", ["", "a b", "-a", "é", "a" * 256, "11111111-2222-4333-8444-555555555501"])
def test_a_name_that_does_not_fit_a_url_or_looks_like_a_uuid_is_refused(name):
    with pytest.raises(BadValue):
        check_node_name(name)


def test_the_complaint_names_the_new_name_and_reserved_words_are_refused():
    check_new_name("rack-1.example", "No")
    with pytest.raises(BadValue, match=r"^No 'a b'$"):
        check_new_name("a b", "No")
    with pytest.raises(BadValue, match='"states" is reserved'):
        check_new_name("states", "No")
