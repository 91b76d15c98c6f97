import pytest
from sqlalchemy import String

from dibs.dialects.baremetal.documents.fields import (
    BY_NAME,
    FIELDS,
    IN_LIST,
    STATE_FIELDS,
    STORED,
    VISIBLE,
    Field,
    Kind,
    check_field_names,
    check_sort_key,
    reject_too_new,
)
from dibs.dialects.baremetal.errors import Refusal
from dibs.dialects.baremetal.microversions import VERSIONS
from dibs.machines.model.nodes import Node
from dibs.machines.model.patching.node_attributes import ATTRIBUTES
from dibs.machines.tables import nodes

NEWEST = max(VERSIONS)
INSIDE_ONLY = {"id", "conductor_id", "instance_until"}
"""Attributes of a node that the bare-metal API does not show."""


def test_no_attribute_has_two_rows() -> None:
    assert len(BY_NAME) == len(FIELDS)


def test_every_attribute_of_a_node_is_shown_or_internal() -> None:
    assert set(Node.__struct_fields__) - INSIDE_ONLY == STORED


@pytest.mark.parametrize(
    "field", [field for field in FIELDS if field.creatable or field.patchable], ids=lambda f: f.name
)
def test_the_longest_accepted_text_fits_into_its_column(field: Field) -> None:
    if field.name not in STORED or field.kind is not Kind.TEXT or field.name == "name":
        return
    column = nodes.c[field.name].type
    if isinstance(column, String) and column.length is not None:
        length = ATTRIBUTES[field.name].length
        assert length is not None
        assert length <= column.length


@pytest.mark.parametrize("field", [field for field in FIELDS if field.sortable], ids=lambda field: field.name)
def test_every_sort_key_is_a_column(field: Field) -> None:
    assert field.name in nodes.c


def test_each_version_shows_all_attributes_of_the_previous_one() -> None:
    for minor in range(2, NEWEST + 1):
        assert VISIBLE[minor - 1] <= VISIBLE[minor]


def test_the_newest_version_shows_everything() -> None:
    assert VISIBLE[NEWEST] == set(BY_NAME)


@pytest.mark.parametrize(
    ("name", "since"),
    [("name", 5), ("traits", 37), ("owner", 50), ("lessee", 65), ("shard", 82), ("health", 109), ("states", 14)],
)
def test_an_attribute_appears_in_its_version(name: str, since: int) -> None:
    assert name not in VISIBLE[since - 1]
    assert name in VISIBLE[since]


def test_a_list_shows_few_attributes() -> None:
    assert {"uuid", "name", "instance_uuid", "maintenance", "power_state", "provision_state"} == IN_LIST
    assert set(STATE_FIELDS) < set(BY_NAME)


def status_of(call: object, *arguments: object) -> int:
    with pytest.raises(Refusal) as caught:
        call(*arguments)  # type: ignore[operator]
    return caught.value.status


def test_an_unknown_field_is_400_and_a_new_one_406() -> None:
    assert status_of(check_field_names, ["uuid", "nosuch"], NEWEST) == 400
    assert status_of(check_field_names, ["uuid", "traits"], 36) == 406
    check_field_names(["uuid", "allocation_uuid", "conductor", "chassis_uuid"], NEWEST)


def test_a_list_can_be_sorted_by_columns_only() -> None:
    assert check_sort_key("id", 1) == "id"
    assert check_sort_key("name", 5) == "name"
    assert status_of(check_sort_key, "name", 4) == 406
    assert status_of(check_sort_key, "properties", NEWEST) == 400
    assert status_of(check_sort_key, "nosuch", NEWEST) == 400


def test_a_new_node_may_have_empty_values_for_newer_attributes() -> None:
    reject_too_new({"owner": None, "conductor_group": "", "name": None}, 1)
    assert status_of(reject_too_new, {"owner": "x"}, 49) == 406
