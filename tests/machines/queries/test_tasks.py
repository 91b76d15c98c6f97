import pytest

from dibs.machines.queries import conductors, tasks

MINE, LATER = "11111111-2222-4333-8444-555555555501", 1_000


@pytest.fixture
def task(ledger):
    """A node with a queued task, and the incarnation of its conductor."""
    node = ledger.enrol()
    conductor = ledger.run(lambda tx: conductors.get(tx, "conductor-1"))
    ledger.run(
        lambda tx: tasks.queue(tx, node.id, conductor_id=conductor.id, work="deploy", arguments={"a": [1]}, now=5)
    )
    return node, conductor.incarnation


def test_a_queued_task_waits_with_its_arguments(ledger, task):
    node, _ = task
    queued = ledger.run(lambda tx: tasks.get(tx, node.id))
    assert (queued.work, queued.arguments, queued.runner, queued.attempts) == ("deploy", {"a": [1]}, None, 0)


def test_a_task_is_due_for_its_own_conductor_until_taken(ledger, task):
    node, incarnation = task
    due = lambda incarnation: ledger.run(lambda tx: tasks.due(tx, incarnation, LATER, 10))  # noqa: E731
    assert (due(MINE), due(incarnation)) == ([], [node.uuid])
    assert not ledger.run(lambda tx: tasks.take(tx, node.id, MINE, LATER))
    assert ledger.run(lambda tx: tasks.take(tx, node.id, incarnation, LATER))
    assert not ledger.run(lambda tx: tasks.take(tx, node.id, incarnation, LATER))
    assert due(incarnation) == []


@pytest.mark.parametrize(("due_at", "due_now"), [(None, True), (LATER, False)])
def test_only_a_task_that_waits_is_compared_with_the_clock(ledger, task, due_at, due_now):
    """The clock shows a time before the task was queued: it was set back."""
    node, incarnation = task
    queued = ledger.run(lambda tx: tasks.get(tx, node.id))
    next_work = {"work": "clean", "arguments": {}, "runner": None, "attempts": 0, "due_at": due_at}
    ledger.run(lambda tx: tasks.requeue(tx, queued, **next_work))
    assert ledger.run(lambda tx: tasks.due(tx, incarnation, 4, 10)) == ([node.uuid] if due_now else [])
    assert ledger.run(lambda tx: tasks.due(tx, incarnation, LATER, 10)) == [node.uuid]
    assert ledger.run(lambda tx: tasks.take(tx, node.id, incarnation, 4)) == due_now


def test_a_released_task_does_not_count_as_an_attempt(ledger, task):
    node, incarnation = task
    ledger.run(lambda tx: tasks.take(tx, node.id, incarnation, LATER))
    ledger.run(lambda tx: tasks.release(tx, node.id, MINE))
    assert ledger.run(lambda tx: tasks.get(tx, node.id)).attempts == 1
    ledger.run(lambda tx: tasks.release(tx, node.id, incarnation))
    released = ledger.run(lambda tx: tasks.get(tx, node.id))
    assert (released.attempts, released.runner) == (0, None)


def test_a_task_moves_only_from_the_conductor_that_has_it(ledger, task):
    node, _ = task
    owner = ledger.run(lambda tx: tasks.get(tx, node.id)).conductor_id
    move = lambda former: ledger.run(  # noqa: E731
        lambda tx: tasks.move(tx, node.id, from_conductor=former, to_conductor=owner)
    )
    assert (move(owner + 1), move(owner)) == (False, True)
