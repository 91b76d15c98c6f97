"""Which nodes requirements accept, and when an allocation may be removed."""

import pytest
from msgspec.structs import replace

from dibs.allocations.model.allocations import (
    Allocation,
    Requirements,
    check_removable,
    check_resource_class,
    unfit_to_backfill,
)
from dibs.errors import BadValue
from dibs.machines.model.errors import WrongState
from dibs.machines.model.nodes import Node

REQUIRED = Requirements(resource_class="gold", traits=("CUSTOM_GPU", "CUSTOM_FAST"))
ALLOCATION = Allocation(id=1, uuid="a", resource_class="gold", wait_until=10, created_at=0)
NODE = Node(id=1, uuid="n", driver="d", provision_state="available", resource_class="gold", owner="o", created_at=0)
TRAITS = ("CUSTOM_FAST", "CUSTOM_GPU", "CUSTOM_MORE")


@pytest.mark.parametrize(
    "change",
    [
        {"resource_class": "silver"},
        {"traits": ("CUSTOM_OTHER",)},
        {"candidate_nodes": ("another",)},
        {"owner": "stranger"},
    ],
)
def test_requirements_accept_only_nodes_of_their_kind(change: dict[str, object]) -> None:
    assert REQUIRED.accept(NODE, TRAITS)
    assert not replace(REQUIRED, **change).accept(NODE, TRAITS)  # type: ignore[arg-type]


def test_project_gets_nodes_that_it_owns_or_leases() -> None:
    assert replace(REQUIRED, owner="o").accept(NODE, TRAITS)
    assert replace(REQUIRED, owner="l").accept(replace(NODE, lessee="l"), TRAITS)


def test_allocation_waits_until_its_deadline() -> None:
    assert (ALLOCATION.waits(9), ALLOCATION.waits(10)) == (True, False)
    assert not replace(ALLOCATION, wait_until=None).waits(0)


@pytest.mark.parametrize(
    ("state", "target", "words"), [("active", None, "is active"), ("deploying", "active", "is in state deploying")]
)
def test_allocation_of_a_deployed_node_is_removed_only_in_maintenance(
    state: str, target: str | None, words: str
) -> None:
    busy = replace(NODE, provision_state=state, target_provision_state=target)
    with pytest.raises(WrongState, match=words):
        check_removable(busy, ALLOCATION)
    check_removable(replace(busy, maintenance=True), ALLOCATION)
    check_removable(NODE, ALLOCATION)


def test_backfill_names_the_state_before_the_other_mismatches() -> None:
    found = unfit_to_backfill(replace(REQUIRED, resource_class="silver"), NODE, TRAITS)
    assert [reason.split()[0] for reason in found] == ["Node", "Resource"]
    assert unfit_to_backfill(REQUIRED, replace(NODE, provision_state="active"), TRAITS) == []


@pytest.mark.parametrize("name", ["", "x" * 81])
def test_name_that_is_no_resource_class_is_refused(name: str) -> None:
    with pytest.raises(BadValue, match="1 to 80 characters"):
        check_resource_class(name)
