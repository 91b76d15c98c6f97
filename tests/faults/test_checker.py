"""The checker finds each kind of wrong outcome, and accepts both outcomes of a write without a clear answer."""

import pytest

from faults.checker import WORK, bad_answers, compare, not_once, unfinished
from faults.workload.client import DEADLINE_SECONDS, Record
from faults.workload.memory import Key, Memory, State, Step
from tests.laws import Row, Tables

ONE, OTHER = ("consumer", "one"), ("consumer", "other")


def memory(step: Step, *, clear: bool) -> Memory:
    made = Memory(seed=1, client=0)
    made.known.update({ONE: 1, OTHER: 2})
    if clear:
        made.succeeded(step, {})
    else:
        made.unclear(step)
    return made


SWAP = Step("swap", "POST", "/x", changes={ONE: 2, OTHER: 1})
CREATE = Step("claim", "PUT", "/x", changes={("consumer", "new"): 3})
DELETE = Step("release", "DELETE", "/x", changes={ONE: None})


@pytest.mark.parametrize(
    ("step", "clear", "found", "complaints"),
    [
        (SWAP, True, {ONE: 2, OTHER: 1}, 0),
        (SWAP, True, {ONE: 1, OTHER: 2}, 2),
        (SWAP, False, {ONE: 2, OTHER: 1}, 0),
        (SWAP, False, {ONE: 1, OTHER: 2}, 0),
        (SWAP, False, {ONE: 2, OTHER: 2}, 1),
        (CREATE, False, {ONE: 1, OTHER: 2}, 0),
        (CREATE, False, {ONE: 1, OTHER: 2, ("consumer", "new"): 3}, 0),
        (CREATE, False, {ONE: 1, OTHER: 2, ("consumer", "new"): 4}, 1),
        (DELETE, True, {OTHER: 2}, 0),
        (DELETE, True, {ONE: 1, OTHER: 2}, 1),
        (DELETE, False, {ONE: 1, OTHER: 2}, 0),
        (DELETE, True, {OTHER: 2, ("consumer", "refused"): 1}, 1),
    ],
)
def test_lost_half_done_and_refused_writes_are_found(
    step: Step, clear: bool, found: dict[Key, State], complaints: int
) -> None:
    assert len(list(compare(found, [memory(step, clear=clear)]))) == complaints


def test_an_object_in_doubt_is_not_used_again() -> None:
    assert memory(SWAP, clear=False).owned("consumer") == []


@pytest.mark.parametrize(
    ("status", "seconds", "complaints"),
    [
        (200, 0.1, 0),
        (409, 0.1, 0),
        (503, DEADLINE_SECONDS - 1, 0),
        (None, 0.1, 0),
        (500, 0.1, 1),
        (200, DEADLINE_SECONDS + 1, 1),
        (None, DEADLINE_SECONDS + 1, 1),
    ],
)
def test_late_answers_and_internal_errors_are_found(status: int | None, seconds: float, complaints: int) -> None:
    record = Record(0, "claim", "PUT", "/x", None, 1.0, seconds, status, {})
    assert len(list(bad_answers([record]))) == complaints


def tables(**rows: list[Row]) -> Tables:
    return {**{key: [] for key in (*WORK, "events")}, **rows}


ALLOCATION = {"uuid": "a", "state": "allocating", "batch": None, "wait_until": 1}
FREE_NODE = {"id": 1, "uuid": "n", "reservation": None, "resource_class": "fleet", "instance_uuid": None}


@pytest.mark.parametrize(
    ("rows", "complaints"),
    [
        ({}, 0),
        ({"nodes": [{**FREE_NODE, "reservation": "conductor"}]}, 1),
        ({"node_tasks": [{"node_id": 1, "work": "deploy"}]}, 1),
        ({"outbox_calls": [{"kind": "notify"}]}, 1),
        ({"leases": [{"name": "l", "status": "PENDING", "start_at": 1_800_000_000_000_000}]}, 1),
        ({"leases": [{"name": "l", "status": "PENDING", "start_at": 3_800_000_000_000_000}]}, 0),
        ({"allocations": [ALLOCATION], "nodes": [FREE_NODE]}, 1),
        ({"allocations": [ALLOCATION], "nodes": []}, 0),
        ({"allocations": [{**ALLOCATION, "wait_until": None}], "nodes": []}, 1),
        ({"events": [{"type": "node.created", "object_id": "n"}]}, 1),
    ],
)
def test_work_that_is_not_finished_is_found(rows: Tables, complaints: int) -> None:
    assert len(unfinished(tables(**rows))) == complaints


def event(kind: str, position: int) -> Row:
    return {"type": kind, "object_id": "l", "position": position}


ACTIVE_LEASE = {"uuid": "l", "status": "ACTIVE"}


@pytest.mark.parametrize(
    ("happened", "complaints"),
    [
        ([event("lease.started", 1)], 0),
        ([event("lease.started", 1), event("lease.changed", 2), event("lease.changed", 3)], 0),
        ([event("lease.started", 1), event("lease.started", 2)], 1),
        ([event("lease.started", 1), event("lease.changed", 1)], 1),
        ([event("lease.created", 1)], 1),
    ],
)
def test_events_that_are_executed_or_published_twice_or_never_are_found(happened: list[Row], complaints: int) -> None:
    assert len(list(not_once(tables(leases=[ACTIVE_LEASE], events=happened)))) == complaints
