"""Claim requests: generations and amounts."""

import pytest
from msgspec.structs import replace

from dibs.ledger.model.claims import (
    ANY_GENERATION,
    AnyGeneration,
    ClaimRequest,
    InventoryKey,
    check_amounts,
    check_consumer_generation,
    require_inventories,
)
from dibs.ledger.model.errors import CapacityExceeded, ConstraintsViolated, ConsumerGenerationConflict, NoSuchInventory
from dibs.ledger.model.inventories import Inventory

KEY = InventoryKey(1, 2)
VCPU = Inventory(provider="host", resource_class="VCPU", total=10, max_unit=8, step_size=2, used=4)


@pytest.mark.parametrize(
    ("sent", "current", "fits"),
    [
        (ANY_GENERATION, 7, True),
        (ANY_GENERATION, None, True),
        (7, 7, True),
        (6, 7, False),
        (None, None, True),
        (None, 7, False),
        (0, None, False),
    ],
)
def test_a_sent_generation_must_be_the_current_one(
    sent: int | AnyGeneration | None, current: int | None, fits: bool
) -> None:
    request = ClaimRequest(consumer="c", generation=sent)
    if fits:
        check_consumer_generation(request, current)
    else:
        with pytest.raises(ConsumerGenerationConflict):
            check_consumer_generation(request, current)


def test_the_error_shows_a_missing_consumer_as_null() -> None:
    with pytest.raises(ConsumerGenerationConflict, match="expected null but got 3"):
        check_consumer_generation(ClaimRequest(consumer="c", generation=3), None)


@pytest.mark.parametrize("amount", [1, 3, 10])
def test_each_amount_must_match_the_units_of_the_inventory(amount: int) -> None:
    inventory = replace(VCPU, used=0, min_unit=2)
    check_amounts({KEY: inventory}, [(KEY, 2)], {})
    with pytest.raises(ConstraintsViolated, match="'VCPU' on resource provider 'host'"):
        check_amounts({KEY: inventory}, [(KEY, amount)], {})


def test_the_sum_of_all_requests_must_fit() -> None:
    check_amounts({KEY: VCPU}, [(KEY, 4), (KEY, 2)], {})
    with pytest.raises(CapacityExceeded):
        check_amounts({KEY: VCPU}, [(KEY, 4), (KEY, 4)], {})


def test_what_the_requests_release_counts_as_free() -> None:
    check_amounts({KEY: VCPU}, [(KEY, 8)], {KEY: 2})
    with pytest.raises(CapacityExceeded):
        check_amounts({KEY: VCPU}, [(KEY, 8)], {KEY: 1})


def test_an_inventory_over_its_capacity_may_be_used_for_no_more_than_before() -> None:
    cut = replace(VCPU, total=2, used=8)
    check_amounts({KEY: cut}, [(KEY, 4)], {KEY: 4})
    check_amounts({KEY: cut}, [(KEY, 2)], {KEY: 4})
    with pytest.raises(CapacityExceeded):
        check_amounts({KEY: cut}, [(KEY, 6)], {KEY: 4})


def test_a_missing_inventory_is_named() -> None:
    require_inventories({KEY: VCPU}, [(KEY, "host", "VCPU")])
    with pytest.raises(NoSuchInventory, match="'DISK_GB' on resource provider 'host'"):
        require_inventories({KEY: VCPU}, [(KEY, "host", "VCPU"), (InventoryKey(1, 3), "host", "DISK_GB")])
