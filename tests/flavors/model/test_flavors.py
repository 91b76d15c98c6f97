from typing import Any

import pytest

from dibs.errors import BadValue
from dibs.flavors.model.flavors import AMOUNT_MAX, SPECS_MAX, Flavor, candidate_query, check_extra_specs, groups_of
from dibs.ledger.model.criteria import Criteria


def flavor(**values: Any) -> Flavor:
    common = {"id": 1, "flavor": "f", "name": "f", "vcpus": 4, "memory_mb": 64, "disk_gb": 1, "created_at": 0}
    return Flavor(**{**common, **values})


def test_swap_counts_in_whole_gigabytes() -> None:
    assert flavor(ephemeral_gb=2, swap_mb=1).total_disk_gb == 4
    assert flavor(swap_mb=1024).total_disk_gb == 2


def test_extra_specs_add_to_sizes_and_override_them() -> None:
    specs = {"resources:VCPU": "0", "resources:CUSTOM_GOLD": "1", "resources1:VGPU": "2", "trait1:CUSTOM_A": "required"}
    groups = groups_of(flavor(disk_gb=0, extra_specs=specs))
    assert groups[""].resources == {"MEMORY_MB": 64, "CUSTOM_GOLD": 1}
    assert groups["1"].resources == {"VGPU": 2}
    assert groups["1"].traits.required == (frozenset({"CUSTOM_A"}),)


def test_class_of_a_reservation_marks_its_private_flavor() -> None:
    assert flavor().reserved_class is None
    assert flavor(extra_specs={"resources:CUSTOM_RESERVATION_X": "1"}).reserved_class == "CUSTOM_RESERVATION_X"


def test_query_has_the_groups_of_the_flavor_in_one_tree() -> None:
    specs = {"resources_GPU:VGPU": "1", "group_policy": "isolate"}
    query = candidate_query(flavor(extra_specs=specs), root_traits=Criteria(), in_tree="t", limit=5)
    assert [(group.suffix, group.in_tree) for group in query.groups] == [("", "t"), ("_GPU", None)]
    assert (query.isolate, query.limit) == (True, 5)


@pytest.mark.parametrize(
    "specs",
    [
        {"a/b": "x"},
        {"": "x"},
        {"a": "x" * 256},
        {"resources:VCPU": "-1"},
        {"resources:VCPU": str(AMOUNT_MAX + 1)},
        {"trait:CUSTOM_A": "maybe"},
        {str(number): "x" for number in range(SPECS_MAX + 1)},
    ],
    ids=["name", "empty name", "long value", "negative amount", "large amount", "trait", "too many"],
)
def test_invalid_extra_specs_are_refused(specs: dict[str, str]) -> None:
    check_extra_specs({"hw:cpu_policy": "dedicated", "resources:VCPU": "0", "trait:CUSTOM_A": "forbidden"})
    with pytest.raises(BadValue):
        check_extra_specs(specs)
