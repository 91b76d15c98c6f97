"""The checker finds each kind of wrong outcome, and accepts both outcomes of a write without a clear answer."""

import pytest

from faults.checker import bad_answers, compare
from faults.workload.client import DEADLINE_SECONDS, Record
from faults.workload.memory import Key, Memory, State, Step

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
