"""The simulation of the queue, without a database."""

from collections.abc import Sequence

from dibs.allocations.model.allocations import Requirements
from dibs.allocations.model.queue import SPARE, QueueEntry, QueueSimulation, WaitingEntry

PLAIN = Requirements(resource_class="gold")
GPU = Requirements(resource_class="gold", traits=("CUSTOM_GPU",))


class Nodes:
    """Free nodes, in the order of their ids, by the requirements that accept them."""

    def __init__(self, nodes: dict[Requirements, list[str]]) -> None:
        self._nodes = nodes
        self.searches = 0

    def search(self, required: Requirements, found_max: int) -> Sequence[str]:
        self.searches += 1
        return self._nodes.get(required, [])[:found_max]


def waiting(required: Requirements, count: int = 1) -> WaitingEntry:
    return WaitingEntry(entry=QueueEntry(key="k"), conductor_id=1, requirements=required, ids=tuple(range(count)))


def test_entries_take_nodes_in_order_until_none_is_left() -> None:
    simulation = QueueSimulation(Nodes({PLAIN: ["a", "b"]}).search, {}, 0)
    assert [simulation.take(waiting(PLAIN)) for _ in range(3)] == [True, True, False]
    assert simulation.taken == {"a", "b"}


def test_entry_takes_no_node_that_an_entry_ahead_with_other_requirements_took() -> None:
    simulation = QueueSimulation(Nodes({GPU: ["a"], PLAIN: ["a", "b"]}).search, {}, 0)
    assert simulation.take(waiting(GPU))
    assert simulation.take(waiting(PLAIN))
    assert simulation.taken == {"a", "b"}


def test_batch_that_finds_too_few_keeps_them() -> None:
    simulation = QueueSimulation(Nodes({PLAIN: ["a", "b"]}).search, {}, 0)
    assert not simulation.take(waiting(PLAIN, count=3))
    assert not simulation.take(waiting(PLAIN))
    assert simulation.taken == {"a", "b"}


def test_equal_requirements_share_one_search_and_exhausted_ones_are_not_searched_again() -> None:
    nodes = Nodes({PLAIN: [f"n{number}" for number in range(SPARE)]})
    simulation = QueueSimulation(nodes.search, {}, 0)
    assert sum(simulation.take(waiting(PLAIN)) for _ in range(10 * SPARE)) == SPARE
    assert nodes.searches == 1


def test_search_is_repeated_when_more_nodes_may_exist() -> None:
    nodes = Nodes({PLAIN: [f"n{number}" for number in range(3 * SPARE)]})
    simulation = QueueSimulation(nodes.search, {}, 0)
    assert sum(simulation.take(waiting(PLAIN)) for _ in range(4 * SPARE)) == 3 * SPARE
    assert 1 < nodes.searches < 10
