"""How a shortage of nodes is explained."""

from dibs.allocations.model.allocations import Requirements
from dibs.allocations.model.shortages import IN_MAINTENANCE, IN_USE, LACKS, explain_shortage, reason_codes

REQUIRED = Requirements(resource_class="gold", traits=("CUSTOM_GPU", "CUSTOM_FAST"))
COUNTS = {IN_MAINTENANCE: 2, f"{LACKS}0": 3, IN_USE: 7}


def test_most_frequent_reason_comes_first() -> None:
    assert explain_shortage(REQUIRED, COUNTS) == "12 nodes of class gold: 7 in use, 3 lack CUSTOM_GPU, 2 in maintenance"


def test_one_node_is_singular() -> None:
    assert explain_shortage(REQUIRED, {f"{LACKS}1": 1}) == "1 node of class gold: 1 lacks CUSTOM_FAST"


def test_candidates_and_project_are_named() -> None:
    required = Requirements(resource_class="gold", candidate_nodes=("n",), owner="p")
    assert explain_shortage(required, {}) == "no candidate nodes of class gold of project p"


def test_codes_name_the_missing_trait() -> None:
    assert list(reason_codes(REQUIRED, COUNTS).items()) == [
        ("in_use", 7),
        ("lacks:CUSTOM_GPU", 3),
        ("in_maintenance", 2),
    ]
