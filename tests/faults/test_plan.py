"""A seed stands for a plan."""

import pytest

from faults.plan import ENGINES, draw_faults, kinds_of


@pytest.mark.parametrize("engine", ENGINES)
def test_same_seed_gives_the_same_plan_and_another_seed_another(engine: str) -> None:
    assert draw_faults(7, engine, 40, 120) == draw_faults(7, engine, 40, 120)
    assert draw_faults(7, engine, 40, 120) != draw_faults(8, engine, 40, 120)


@pytest.mark.parametrize("engine", ENGINES)
def test_plan_has_every_kind_in_order_of_time(engine: str) -> None:
    plan = draw_faults(1, engine, len(kinds_of(engine)), 60)
    assert {fault.kind for fault in plan} == set(kinds_of(engine))
    assert sorted(fault.at for fault in plan) == [fault.at for fault in plan]
    assert plan[-1].at < 60
