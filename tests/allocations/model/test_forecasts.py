"""Promised starts: what an entry of the queue is told, and a simulation of random histories.

``HISTORIES=10000`` runs as many histories; without it there are few.
"""

import os
import random
from itertools import count

import pytest

from dibs.allocations.model.allocations import Lifetime, Requirements
from dibs.allocations.model.forecasts import (
    NEVER,
    ExpectedNode,
    ForecastEntry,
    NodeUse,
    Promise,
    expect,
    forecast,
    keep_promise,
)

HISTORIES = int(os.environ.get("HISTORIES", "200"))
EVENTS = 40
SECOND = 1_000_000
ANY = Requirements(resource_class="gold")


def node(uuid: str, free_at: int, state: str = "has no end") -> ExpectedNode:
    return ExpectedNode(uuid, uuid, free_at, "" if free_at == 0 else state)


def entry(
    key: str, count: int = 1, seconds: int | None = None, requirements: Requirements = ANY, number: int = 0
) -> ForecastEntry:
    return ForecastEntry(key, requirements, count, Lifetime(seconds), number)


def starts(entries, *nodes, now=0):
    found = forecast(entries, {each.requirements: nodes for each in entries}, now)
    return [None if each.start == NEVER else each.start for each in found]


def test_each_entry_takes_the_node_that_is_free_first_for_its_lifetime():
    nodes = node("a", 100 * SECOND), node("b", 300 * SECOND), node("c", NEVER)
    entries = [entry("1", seconds=50), entry("2", seconds=50), entry("3"), entry("4"), entry("5")]
    assert starts(entries, *nodes) == [100 * SECOND, 150 * SECOND, 200 * SECOND, 300 * SECOND, None]


def test_a_batch_starts_with_its_last_node_and_keeps_the_others_while_it_waits():
    assert starts([entry("1", 2), entry("2")], node("a", 5), node("b", 9)) == [9, None]
    assert starts([entry("1", 2), entry("2")], node("a", 5), node("b", NEVER)) == [None, None]


@pytest.mark.parametrize(
    ("nodes", "told"),
    [
        ([], "no node in service suits it"),
        ([node("a", NEVER)], "node a has no end"),
        ([node("a", 5)], "allocation 1 ahead in the queue has no end"),
    ],
)
def test_an_entry_without_a_known_start_is_told_what_it_depends_on(nodes, told):
    *_, outlook = forecast([entry("1"), entry("2")], {ANY: nodes}, 0)
    assert keep_promise(Promise(), outlook, 0).depends_on == told


def test_a_promise_moves_earlier_or_names_what_moved_it():
    def look(*nodes, ahead=()):
        return forecast([*ahead, entry("x")], {ANY: nodes}, 50)[-1]

    promise = keep_promise(Promise(), look(node("a", 100), node("b", 300)), 50)
    assert (promise.start, promise.nodes, promise.moved_by) == (100, ("a",), "")
    assert keep_promise(promise, look(node("a", 0)), 50).start == 50
    later = keep_promise(promise, look(node("a", 200, "is in use until 200"), node("b", 300)), 50)
    assert (later.start, later.moved_by) == (200, "node a is in use until 200")
    taken = keep_promise(promise, look(node("a", 100), node("b", 300), ahead=[entry("y")]), 50)
    assert (taken.start, taken.moved_by) == (300, "allocation y ahead in the queue takes node a")
    fair = keep_promise(promise, look(node("a", 100), node("b", 300), ahead=[entry("y", number=9)]), 50)
    assert fair.moved_by == "allocation y that came later, ahead by fair share, takes node a"
    gone = keep_promise(promise, look(node("b", 300)), 50)
    assert (gone.start, gone.moved_by) == (300, "node a went out of service, or no longer suits it")
    assert keep_promise(gone, look(node("b", 250)), 50).moved_by == gone.moved_by, "it stays until it moves again"


@pytest.mark.parametrize(
    ("changes", "free_at", "state"),
    [
        ({}, 0, ""),
        ({"instance_uuid": "i"}, NEVER, "has no end"),
        ({"instance_uuid": "i", "instance_until": 200, "protected": True}, NEVER, "has no end"),
        ({"instance_uuid": "i", "instance_until": 200}, 200 + 60 * SECOND, "is in use until 1970-01-01 00:00"),
        ({"instance_uuid": "i", "instance_until": 50}, 50 + 60 * SECOND, "is available"),
        ({"instance_uuid": "i", "instance_until": 100 - 60 * SECOND}, NEVER, "should be free, but is available"),
        ({"held_until": 200}, 200, "is reserved until 1970-01-01 00:00"),
        ({"booked_until": 200}, 200 + 60 * SECOND, "is booked until 1970-01-01 00:00"),
        ({"unclaimed": False}, NEVER, "has no end"),
        ({"powered": False}, NEVER, "is available"),
        ({"provision_state": "cleaning", "provision_updated_at": 90}, 90 + 60 * SECOND, "is cleaning"),
        ({"provision_state": "cleaning"}, 60 * SECOND, "is cleaning"),
        ({"provision_state": "manageable"}, NEVER, "is manageable"),
    ],
)
def test_a_node_is_expected_when_its_user_leaves_and_it_was_cleaned(changes, free_at, state):
    use = {
        "uuid": "u", "name": "n", "provision_state": "available", "provision_updated_at": None, "powered": True,
        "protected": False, "instance_uuid": None, "instance_until": None, "held_until": None, "booked_until": None,
        "unclaimed": True,
    }  # fmt: skip
    assert expect(NodeUse(**{**use, **changes}), 100, 60) == ExpectedNode("u", "n", free_at, state)


def test_a_project_learns_nothing_about_the_allocations_of_others():
    mine = Requirements(resource_class="gold", owner="red")
    entries = [entry("secret", requirements=ANY), entry("x", requirements=mine)]
    *_, outlook = forecast(entries, {ANY: [node("a", 5)], mine: [node("a", 5)]}, 0)
    assert keep_promise(Promise(), outlook, 0).depends_on == "an allocation ahead in the queue has no end"


class History:
    """Random events on a few nodes and a queue; every promise that moves later must name a true cause."""

    def __init__(self, seed: int, *, fair_share: bool = False) -> None:
        self.fair_share = fair_share
        self.chance = random.Random(seed)
        self.now = SECOND
        self.free_at = {f"n{number}": 0 for number in range(self.chance.randint(1, 5))}
        self.in_service = set(self.free_at)
        self.queue: list[ForecastEntry] = []
        self.promises: dict[str, Promise] = {}
        self.numbers = count()
        self.kinds = [Requirements(resource_class="gold", candidate_nodes=tuple(self._some_nodes())) for _ in range(3)]
        self.prolonged: set[str] = set()
        self.lost: set[str] = set()
        self.moved = 0

    def _some_nodes(self) -> list[str]:
        return self.chance.sample(sorted(self.free_at), self.chance.randint(1, len(self.free_at)))

    def run(self) -> int:
        """Return how many promises moved to a later moment."""
        for _ in range(EVENTS):
            self.prolonged, self.lost = set(), set()
            self.chance.choice([self.arrive, self.arrive, self.pass_time, self.pass_time, self.release, self.prolong,
                                self.toggle_service, self.withdraw,
                                *[self.reorder] * 3 * self.fair_share])()  # fmt: skip
            self.grant()
            self.check()
        return self.moved

    def arrive(self) -> None:
        seconds, number = self.chance.choice([None, 5, 20, 60]), next(self.numbers)
        count = self.chance.choice([1, 1, 2])
        made = entry(f"e{number}", count, seconds, self.chance.choice(self.kinds), number)
        if made.count <= len(made.requirements.candidate_nodes):
            self.queue.append(made)

    def pass_time(self) -> None:
        self.now += self.chance.choice([1, 5, 20]) * SECOND
        self.free_at = {name: 0 if moment <= self.now else moment for name, moment in self.free_at.items()}

    def release(self) -> None:
        self.free_at[self.chance.choice(sorted(self.free_at))] = 0

    def prolong(self) -> None:
        name = self.chance.choice(sorted(self.free_at))
        if self.free_at[name]:
            self.free_at[name] = self.chance.choice([NEVER, self.now + 50 * SECOND])
            self.prolonged.add(name)

    def toggle_service(self) -> None:
        name = self.chance.choice(sorted(self.free_at))
        if name in self.in_service:
            self.lost.add(name)
        self.in_service ^= {name}

    def withdraw(self) -> None:
        if self.queue:
            self.promises.pop(self.queue.pop(self.chance.randrange(len(self.queue))).key, None)

    def reorder(self) -> None:
        """Another weight, or what a project had lately, puts some entries ahead of others."""
        for _ in range(2):
            if self.queue:
                self.queue.insert(0, self.queue.pop(self.chance.randrange(len(self.queue))))

    def grant(self) -> None:
        """Give free nodes to the entries, in order; an entry takes any of those that suit it, a batch keeps some."""
        kept: set[str] = set()
        for each in list(self.queue):
            free = [name for name in each.requirements.candidate_nodes
                    if not self.free_at[name] and name in self.in_service and name not in kept]  # fmt: skip
            if len(free) < each.count:
                kept.update(free if each.count > 1 else ())
                continue
            for name in self.chance.sample(free, each.count):
                seconds = each.lifetime.seconds
                self.free_at[name] = NEVER if seconds is None else self.now + seconds * SECOND
                self.prolonged.add(name)
            self.queue.remove(each)
            promised = self.promises.pop(each.key, Promise()).start
            assert promised is None or self.now <= promised + 20 * SECOND, (each, promised, self.now)

    def check(self) -> None:
        nodes = {
            kind: [node(name, self.free_at[name]) for name in kind.candidate_nodes if name in self.in_service]
            for kind in self.kinds
        }
        for each, outlook in zip(self.queue, forecast(self.queue, nodes, self.now), strict=True):
            before = self.promises.get(each.key, Promise())
            after = keep_promise(before, outlook, self.now)
            self.promises[each.key] = after
            if after.start is None:
                assert after.depends_on
            if before.start is not None and (after.start is None or after.start > before.start):
                self.moved += 1
                self.check_cause(before, after, each)

    def check_cause(self, before: Promise, after: Promise, moved: ForecastEntry) -> None:
        cause = after.moved_by.split()
        assert cause, (before, after)
        if cause[0] == "node" and "service," in cause:
            assert cause[1] in self.lost, after
        elif cause[0] == "node":
            assert cause[1] in self.prolonged, after
        else:
            ahead = {each.key: each for each in self.queue[: self.queue.index(moved)]}
            assert cause[1] in ahead, after
            assert ("fair share" in after.moved_by) == (ahead[cause[1]].id > moved.id), after


@pytest.mark.parametrize("fair_share", [False, True])
def test_no_promise_is_broken_without_a_true_cause(fair_share):
    moved = sum(History(seed, fair_share=fair_share).run() for seed in range(HISTORIES))
    assert moved > HISTORIES / 10, "the histories move too few promises to show anything"
