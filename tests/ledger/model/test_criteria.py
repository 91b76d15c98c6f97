"""Required and forbidden names."""

import pytest

from dibs.ledger.model.criteria import ANYTHING, Criteria

CRITERIA = Criteria(required=(frozenset({"A", "B"}), frozenset({"C"})), forbidden=frozenset({"D"}))


@pytest.mark.parametrize(
    ("names", "met", "required"),
    [
        ({"A", "C"}, True, True),
        ({"A", "B", "C", "E"}, True, True),
        ({"A", "B"}, False, False),
        ({"C"}, False, False),
        ({"A", "C", "D"}, False, True),
    ],
)
def test_one_name_of_each_choice_is_required_and_no_forbidden_name(names: set[str], met: bool, required: bool) -> None:
    assert CRITERIA.met_by(names) is met
    assert CRITERIA.required_in(names) is required


def test_no_criteria_are_false_and_always_met() -> None:
    assert not ANYTHING
    assert ANYTHING.met_by(())
    assert Criteria(forbidden=frozenset({"D"}))


def test_criteria_name_required_and_forbidden_names() -> None:
    assert CRITERIA.names() == {"A", "B", "C", "D"}
