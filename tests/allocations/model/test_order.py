"""Fair share: a simulation of a saturated queue, and entries that wait."""

import heapq
import random
from collections import deque

import pytest

from dibs.allocations.model.allocations import Requirements
from dibs.allocations.model.order import PATIENCE, in_fair_order
from dibs.allocations.model.queue import QueueEntry, WaitingEntry
from dibs.quotas.model.shares import Share, Standing, standing_of

HOUR = 3_600_000_000
WEEK = 168 * HOUR


def entry(number: int, project: str | None, count: int = 1, created_at: int = 0, trait: str = "") -> WaitingEntry:
    required = Requirements(resource_class="gold", owner=project, traits=(trait,) if trait else ())
    return WaitingEntry(
        entry=QueueEntry(key=f"{project}{number}"),
        conductor_id=1,
        requirements=required,
        ids=tuple(number + place for place in range(count)),
        created_at=created_at,
    )


def order(entries: list[WaitingEntry], now: int = HOUR, **standings: Standing) -> list[str]:
    return [each.entry.key for each in in_fair_order(entries, standings, now, WEEK)]


def standing(average: float = 0, nodes: int = 0, weight: int = 1) -> Standing:
    return Standing(project="", weight=weight, average=average, nodes=nodes)


def test_project_that_had_least_for_its_weight_comes_first() -> None:
    entries = [entry(1, "a"), entry(2, "b"), entry(3, "c")]
    assert order(entries, a=standing(4), b=standing(2), c=standing(6, weight=6)) == ["c3", "b2", "a1"]


def test_equal_projects_alternate_and_the_oldest_entry_begins() -> None:
    entries = [entry(1, "a"), entry(2, "a"), entry(3, "a"), entry(4, "b"), entry(5, "b")]
    assert order(entries, a=standing(), b=standing()) == ["a1", "b4", "a2", "b5", "a3"]
    assert order(entries, a=standing(nodes=1), b=standing()) == ["b4", "a1", "b5", "a2", "a3"]


def test_order_of_the_rest_stays_when_the_first_entry_gets_its_node() -> None:
    entries = [entry(number, "abc"[number % 3]) for number in range(12)]
    weights, nodes = {"a": 1, "b": 2, "c": 5}, dict.fromkeys("abc", 0)
    first = order(entries, **{name: standing(nodes=nodes[name], weight=weights[name]) for name in "abc"})
    for granted in first:
        present = {name: standing(nodes=nodes[name], weight=weights[name]) for name in "abc"}
        assert order(entries, **present)[0] == granted
        entries = [each for each in entries if each.entry.key != granted]
        nodes[granted[0]] += 1


def test_entry_that_no_node_suits_does_not_hold_up_the_rest_of_its_project() -> None:
    entries = [*(entry(number, "a", trait="CUSTOM_NONE") for number in range(9)), entry(9, "a"), entry(10, "b")]
    assert order(entries, a=standing(), b=standing(1))[-2:] == ["a8", "b10"]
    assert order(entries, a=standing(), b=standing())[:3] == ["a0", "a9", "b10"]


def test_batch_counts_with_all_its_nodes_for_those_behind_it() -> None:
    entries = [entry(1, "a", count=3), entry(4, "a"), entry(5, "b"), entry(6, "b"), entry(7, "b"), entry(8, "b")]
    assert order(entries, a=standing(), b=standing()) == ["a1", "b5", "b6", "b7", "a4", "b8"]


def test_entries_without_a_project_have_one_share_and_unknown_projects_are_left_out() -> None:
    entries = [entry(1, "a"), entry(2, None), entry(3, "late")]
    found = in_fair_order(entries, {"": standing(1), "a": standing(2)}, HOUR, WEEK)
    assert [each.id for each in found] == [2, 1]


def test_entry_that_waits_rises_until_no_new_entry_is_ahead() -> None:
    """A project with the smallest weight keeps nodes for ever, while another with the largest has none."""
    standings = {"poor": standing(2_000, 1_000), "rich": standing(weight=1_000)}
    old = entry(1, "poor")
    places = []
    for weeks in range(30):
        new = [entry(number, "rich", created_at=weeks * WEEK) for number in range(2, 7)]
        places.append(order([old, *new], now=weeks * WEEK, **standings).index("poor1"))
    assert places[PATIENCE] == 5
    assert places == sorted(places, reverse=True)
    assert places[-1] == 0


def test_entry_is_overtaken_only_by_those_that_come_within_a_bounded_time() -> None:
    """The rich project sends one entry each day and gets what it asks for; the poor one is served in the end."""
    standings = {"poor": standing(100, 50), "rich": standing(weight=100)}
    waiting, day = [entry(1, "poor")], 24 * HOUR
    for number in range(2, 400):
        waiting.append(entry(number, "rich", created_at=number * day))
        served = in_fair_order(waiting, standings, number * day, WEEK)[0]
        waiting.remove(served)
        if served.id == 1:
            break
    assert served.id == 1
    assert number > PATIENCE * 7, "fair share decides before the entry rises"


class Fleet:
    """Nodes, and projects whose queue is never empty; each entry keeps its node for a random time."""

    def __init__(self, weights: dict[str, int], nodes: int, mean_hours: float, seed: int) -> None:
        self.chance = random.Random(seed)
        self.mean_hours = mean_hours
        self.now = 0
        self.free = nodes
        self.shares = {name: Share(project=name, weight=weight) for name, weight in weights.items()}
        self.numbers = iter(range(1, 10**9))
        self.queues = {name: deque(self.arrive(name) for _ in range(8)) for name in weights}
        self.ends: list[tuple[int, str]] = []
        self.used = dict.fromkeys(weights, 0)

    def arrive(self, name: str) -> WaitingEntry:
        return entry(next(self.numbers), name, created_at=self.now)

    def change(self, name: str, number: int) -> None:
        share = self.shares[name]
        self.used[name] += share.nodes * (self.now - share.counted_at)
        self.shares[name] = share.counted(self.now, WEEK, share.nodes + number)

    def grant(self) -> None:
        """Serve the head of the order, of which only the first entry of each project can be the first."""
        heads = [queue[0] for queue in self.queues.values()]
        standings = {name: standing_of(share, name, share.nodes, self.now, WEEK) for name, share in self.shares.items()}
        name = in_fair_order(heads, standings, self.now, WEEK)[0].requirements.owner
        assert name is not None
        self.queues[name].popleft()
        self.queues[name].append(self.arrive(name))
        self.change(name, 1)
        self.free -= 1
        length = int(self.chance.expovariate(1 / self.mean_hours) * HOUR) + 1
        heapq.heappush(self.ends, (self.now + length, name))

    def run(self, hours: int) -> dict[str, float]:
        """Return the part of the node time that each project had."""
        while self.now < hours * HOUR:
            while self.free:
                self.grant()
            self.now, name = heapq.heappop(self.ends)
            self.change(name, -1)
            self.free += 1
        return {name: used / sum(self.used.values()) for name, used in self.used.items()}


@pytest.mark.parametrize(("nodes", "hours"), [(4, 3_000), (16, 800), (41, 300)])
@pytest.mark.parametrize("weights", [{"a": 1, "b": 2, "c": 5}, {"a": 1, "b": 1, "c": 1}, {"a": 10, "b": 3, "c": 4}])
def test_shares_of_three_projects_are_within_five_percent_of_their_weights(
    weights: dict[str, int], nodes: int, hours: int
) -> None:
    shares = Fleet(weights, nodes, mean_hours=4, seed=1).run(hours)
    for name, weight in weights.items():
        assert shares[name] == pytest.approx(weight / sum(weights.values()), rel=0.05), shares


def test_project_that_comes_later_gets_its_share_without_all_nodes_at_once_for_ever() -> None:
    fleet = Fleet({"a": 1, "b": 1}, 16, mean_hours=4, seed=2)
    idle = fleet.queues.pop("b")
    fleet.run(500)
    fleet.queues["b"] = idle
    before = dict(fleet.used)
    fleet.run(2_500)
    gained = {name: fleet.used[name] - before[name] for name in fleet.used}
    assert gained["b"] > gained["a"], "it had less, so it gets more"
    assert fleet.shares["a"].average == pytest.approx(fleet.shares["b"].average, rel=0.1)
