"""What an allocation fits, when it may be removed, and how a shortage is explained."""

from dataclasses import replace

import pytest

from dibs.allocations.model import allocations
from dibs.allocations.model.allocations import Allocation, check_removable, explain_shortage
from dibs.machines.model.errors import WrongState
from dibs.machines.model.nodes import Node

REQUEST = Allocation(id=1, uuid="r", resource_class="gold", traits=("CUSTOM_GPU", "CUSTOM_FAST"), created_at=0)
NODE = Node(id=1, uuid="n", driver="d", provision_state="available", resource_class="gold", owner="o", created_at=0)
TRAITS = ("CUSTOM_FAST", "CUSTOM_GPU", "CUSTOM_MORE")


def test_the_shortage_is_explained_with_the_commonest_reason_first() -> None:
    counts = {allocations.IN_MAINTENANCE: 2, f"{allocations.LACKS}0": 3, allocations.IN_USE: 7}
    assert explain_shortage(REQUEST, counts) == "12 nodes of class gold: 7 in use, 3 lack CUSTOM_GPU, 2 in maintenance"


def test_a_single_node_is_spoken_of_as_one() -> None:
    assert explain_shortage(REQUEST, {f"{allocations.LACKS}1": 1}) == "1 node of class gold: 1 lacks CUSTOM_FAST"


def test_candidates_and_projects_are_named() -> None:
    allocation = replace(REQUEST, candidate_nodes=("n",), owner="p")
    assert explain_shortage(allocation, {}) == "no candidate nodes of class gold of project p"


@pytest.mark.parametrize(
    "change",
    [
        {"resource_class": "silver"},
        {"traits": ("CUSTOM_OTHER",)},
        {"candidate_nodes": ("another",)},
        {"owner": "stranger"},
    ],
)
def test_an_allocation_fits_only_nodes_of_its_kind(change: dict[str, object]) -> None:
    assert REQUEST.fits(NODE, TRAITS)
    assert not replace(REQUEST, **change).fits(NODE, TRAITS)  # type: ignore[arg-type]


def test_a_project_may_have_what_it_owns_and_what_it_leases() -> None:
    assert replace(REQUEST, owner="o").fits(NODE, TRAITS)
    assert replace(REQUEST, owner="l").fits(replace(NODE, lessee="l"), TRAITS)


@pytest.mark.parametrize(
    ("state", "target", "words"), [("active", None, "is active"), ("deploying", "active", "is in state deploying")]
)
def test_an_allocation_whose_node_is_in_use_stays_unless_in_maintenance(
    state: str, target: str | None, words: str
) -> None:
    busy = replace(NODE, provision_state=state, target_provision_state=target)
    with pytest.raises(WrongState, match=words):
        check_removable(busy, REQUEST)
    check_removable(replace(busy, maintenance=True), REQUEST)
    check_removable(NODE, REQUEST)
