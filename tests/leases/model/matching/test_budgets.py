import pytest

from dibs.leases.model.matching.budgets import CLOCK_STEPS, BudgetSpent, SearchBudget


def test_steps_are_spent_until_none_are_left() -> None:
    budget = SearchBudget(lambda: 0.0, steps_max=3)
    budget.spend(2)
    with pytest.raises(BudgetSpent):
        budget.spend(2)
    budget.spend(1)
    assert budget.steps == 3


def test_no_step_is_left_when_the_time_is_over() -> None:
    seconds = iter([5.0, 6.0, 6.1])
    budget = SearchBudget(lambda: next(seconds), seconds_max=1.0)
    for _ in range(CLOCK_STEPS):
        budget.spend(1)
    with pytest.raises(BudgetSpent):
        budget.spend(1)
