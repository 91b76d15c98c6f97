"""How many nodes are taken in each step."""

from dibs.allocations.model.capacity import Change, ClassCapacity, Use, joined, taken_in_steps, windows_of_use


def use(start: int, end: int | None, count: int = 1) -> Use:
    return Use(resource_class="gold", start=start, end=end, count=count)


def test_each_step_has_the_most_that_is_taken_at_once() -> None:
    uses = [use(0, 15), use(10, 30, count=2), use(25, None)]
    assert taken_in_steps(uses, 0, 10, 5) == [1, 3, 3, 1, 1]


def test_node_released_and_taken_at_the_same_moment_is_one_node() -> None:
    assert taken_in_steps([use(0, 10), use(10, 20)], 0, 20, 1) == [1]


def test_uses_outside_the_window_do_not_count() -> None:
    assert taken_in_steps([use(-10, 0), use(20, 30), use(-5, 5)], 0, 10, 2) == [1, 0]


def test_percent_counts_the_nodes_that_can_be_had() -> None:
    assert ClassCapacity(resource_class="gold", total=5, out=1, taken=[4, 2]).percent == 75
    assert ClassCapacity(resource_class="gold", total=1, out=1, taken=[0]).percent == 0
    assert ClassCapacity(resource_class="gold", total=5, out=1, taken=[0], before=[5, 2]).percent_before == 70


def test_windows_of_use_are_read_back_from_the_present() -> None:
    changes = [Change(80, True), Change(60, False), Change(40, True), Change(20, False)]
    assert windows_of_use(changes, True, 10, 100) == [(80, 100), (40, 60), (10, 20)]
    assert windows_of_use([], True, 10, 100) == [(10, 100)]
    assert windows_of_use([], False, 10, 100) == []


def test_node_that_is_booked_and_in_use_is_taken_once() -> None:
    assert joined([(30, 40), (0, 10), (5, 12), (40, 50)]) == [(0, 12), (30, 50)]
