"""Which queue entries are in work, and which pause."""

import pytest

from dibs.allocations.model.outcomes import Outcome
from dibs.allocations.model.queue import QueueEntry
from dibs.conductor.entries import LOCK_RETRIES, LOCK_RETRY_SECONDS, WAITING_CHECK_SECONDS, EntryTracker

ENTRY = QueueEntry(key="a")
WAITING = QueueEntry(key="a", batch=True, waits=True)


class Time:
    """A clock in seconds."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def tracker(time: Time) -> EntryTracker:
    return EntryTracker(2, time)


def test_entry_in_work_is_not_begun_again(tracker: EntryTracker) -> None:
    assert tracker.begin(ENTRY)
    assert not tracker.begin(ENTRY)
    tracker.finish(ENTRY, Outcome.SETTLED)
    assert tracker.begin(ENTRY)


def test_number_of_entries_in_work_is_limited(tracker: EntryTracker) -> None:
    assert [tracker.begin(QueueEntry(key=key)) for key in "abc"] == [True, True, False]


@pytest.mark.parametrize("outcome", [Outcome.RETRY, None])
def test_entry_pauses_for_a_moment_after_locked_nodes_or_an_error(
    tracker: EntryTracker, time: Time, outcome: Outcome | None
) -> None:
    tracker.finish(ENTRY, outcome)
    assert tracker.is_paused(ENTRY)
    time.now += LOCK_RETRY_SECONDS
    assert not tracker.is_paused(ENTRY)


def test_entry_is_retried_a_limited_number_of_times(tracker: EntryTracker) -> None:
    for _ in range(LOCK_RETRIES):
        assert tracker.may_retry(ENTRY)
        tracker.finish(ENTRY, Outcome.RETRY)
    assert not tracker.may_retry(ENTRY)
    tracker.finish(ENTRY, Outcome.SETTLED)
    assert tracker.may_retry(ENTRY)


def test_error_does_not_count_as_a_retry(tracker: EntryTracker) -> None:
    for _ in range(LOCK_RETRIES + 1):
        tracker.finish(ENTRY, None)
    assert tracker.may_retry(ENTRY)


def test_waiting_entry_pauses_until_its_deadline_only(tracker: EntryTracker) -> None:
    tracker.finish(WAITING, Outcome.WAITING)
    assert tracker.is_paused(WAITING)
    assert not tracker.is_paused(QueueEntry(key="a", batch=True, waits=False))


def test_old_pauses_are_forgotten(tracker: EntryTracker, time: Time) -> None:
    tracker.finish(ENTRY, Outcome.RETRY)
    time.now += WAITING_CHECK_SECONDS
    assert tracker.forget_old_pauses() == 1
    time.now += LOCK_RETRY_SECONDS
    assert tracker.forget_old_pauses() == 0
