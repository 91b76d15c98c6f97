"""Inventories: capacity, units and names."""

import pytest

from dibs.ledger.model.errors import InvalidCapacity
from dibs.ledger.model.inventories import Inventory, check_capacity, custom_class_name


def inventory(total: int, **values: float) -> Inventory:
    return Inventory(**{"provider": "host", "resource_class": "VCPU", "total": total, "max_unit": total, **values})  # type: ignore[arg-type]


def test_the_capacity_is_the_unreserved_part_times_the_ratio() -> None:
    assert inventory(10, reserved=2, allocation_ratio=1.5).capacity == 12


@pytest.mark.parametrize(("amount", "takes"), [(1, False), (2, True), (3, False), (8, True), (10, False)])
def test_a_claim_is_between_the_units_and_a_multiple_of_the_step(amount: int, takes: bool) -> None:
    assert inventory(10, min_unit=2, max_unit=8, step_size=2).takes(amount) is takes


def test_a_reservation_beyond_the_total_is_refused() -> None:
    check_capacity(inventory(4, reserved=4), all_may_be_reserved=True)
    with pytest.raises(InvalidCapacity, match="greater than total"):
        check_capacity(inventory(4, reserved=5), all_may_be_reserved=True)


def test_a_reservation_of_the_total_is_refused_unless_it_is_allowed() -> None:
    with pytest.raises(InvalidCapacity, match="greater than or equal to total"):
        check_capacity(inventory(4, reserved=4), all_may_be_reserved=False)


@pytest.mark.parametrize(
    ("given", "name"), [("bm.gpu", "CUSTOM_BM_GPU"), ("Gold", "CUSTOM_GOLD"), ("a-b c", "CUSTOM_A_B_C")]
)
def test_a_nodes_class_gets_the_name_that_nova_uses(given: str, name: str) -> None:
    assert custom_class_name(given) == name
