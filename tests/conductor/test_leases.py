"""Events of leases, and one that fails."""

import threading

import pytest

from dibs.conductor.leases import TOGETHER_MAX, LeaseWorker
from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.leases.operations.events import fail_event, run_event
from dibs.leases.operations.starting.together import StartedLeases, start_leases


class Event:
    def __init__(self, lease, kind="start_lease"):
        self.lease = lease
        self.kind = kind


class Leases:
    """A runner with two events that are due, of which one fails."""

    def __init__(self, error=None):
        self.failed = []
        self.error = error or RuntimeError("broken")

    def read(self, operation, access, command):
        return [Event("broken"), Event("sound")]

    def write(self, operation, access, event):
        if operation is start_leases:
            assert set(event.leases) == {"broken", "sound"}
            raise self.error
        if operation is fail_event:
            self.failed.append(event.lease)
        elif operation is run_event and event.lease == "broken":
            raise self.error
        return True


def test_failed_event_is_recorded_and_does_not_delay_the_others(caplog):
    leases = Leases()
    worker = LeaseWorker(leases, lambda: 0, reassignment_seconds=0, cleaning_minutes=0)
    assert worker.run_events() == 1
    assert leases.failed == ["broken"]
    assert "start_lease of lease broken failed" in caplog.text


def test_contended_event_stays_due_and_does_not_delay_the_others():
    leases = Leases(StoreContended(attempts=12))
    worker = LeaseWorker(leases, lambda: 0, reassignment_seconds=0, cleaning_minutes=0)
    assert worker.run_events() == 1
    assert leases.failed == []


class Due:
    """A runner with due events. ``run`` decides what each of them does, ``start`` what leases do together."""

    def __init__(self, events, run, start=lambda leases: StartedLeases(count=0, alone=frozenset(leases))):
        self.events = events
        self.run = run
        self.start = start
        self.ran = []
        self.together = []

    def read(self, operation, access, command):
        return self.events

    def write(self, operation, access, event):
        if operation is start_leases:
            self.together.append(event.leases)
            return self.start(event.leases)
        self.ran.append((event.lease, event.kind))
        return self.run(event)


def worker_of(due):
    return LeaseWorker(due, lambda: 0, reassignment_seconds=0, cleaning_minutes=0)


def test_events_of_different_leases_run_side_by_side():
    both = threading.Barrier(2, timeout=60)
    due = Due([Event("a"), Event("b")], lambda event: both.wait() >= 0)
    assert worker_of(due).run_events() == 2


def test_leases_that_only_start_do_so_together():
    events = [Event("a"), Event("b"), Event("c", "end_lease"), Event("d"), Event("d", "end_lease")]
    due = Due(events, lambda event: True, lambda leases: StartedLeases(count=2))
    assert worker_of(due).run_events() == 5
    assert due.together == [("a", "b")]
    assert due.ran == [("c", "end_lease"), ("d", "start_lease"), ("d", "end_lease")]


def test_leases_start_together_in_bounded_numbers():
    events = [Event(str(number)) for number in range(3 * TOGETHER_MAX)]
    due = Due(events, lambda event: False, lambda leases: StartedLeases(count=len(leases)))
    assert worker_of(due).run_events() == 3 * TOGETHER_MAX
    assert [len(leases) for leases in due.together] == [TOGETHER_MAX] * 3
    assert {lease for leases in due.together for lease in leases} == {event.lease for event in events}


def test_a_single_lease_starts_alone():
    due = Due([Event("a")], lambda event: True)
    assert worker_of(due).run_events() == 1
    assert due.together == []


def test_only_the_leases_that_could_not_start_together_start_alone():
    events = [Event("a"), Event("b"), Event("c")]
    due = Due(events, lambda event: True, lambda leases: StartedLeases(count=2, alone=frozenset({"b"})))
    assert worker_of(due).run_events() == 3
    assert due.ran == [("b", "start_lease")]


def test_events_of_one_lease_run_in_their_order():
    due = Due([Event("a"), Event("a", "before_end_lease"), Event("a", "end_lease")], lambda event: True)
    assert worker_of(due).run_events() == 3
    assert [kind for _, kind in due.ran] == ["start_lease", "before_end_lease", "end_lease"]


def test_leases_that_end_do_so_before_others_start():
    due = Due([Event("a", "before_end_lease"), Event("a"), Event("b", "end_lease")], lambda event: True)
    assert worker_of(due).run_events() == 3
    assert due.ran == [("b", "end_lease"), ("a", "before_end_lease"), ("a", "start_lease")]


def test_a_lease_that_cannot_start_yet_does_not_end():
    due = Due([Event("a"), Event("a", "end_lease")], lambda event: event.kind != "start_lease")
    assert worker_of(due).run_events() == 0
    assert due.ran == [("a", "start_lease")]


def test_an_event_of_an_unknown_kind_does_not_keep_its_lease_from_ending():
    due = Due([Event("a", "later_release"), Event("a", "end_lease")], lambda event: event.kind == "end_lease")
    assert worker_of(due).run_events() == 1


def test_without_a_database_the_round_ends():
    def fail(event):
        raise StoreUnavailable

    due = Due([Event("a"), Event("b")], fail)
    with pytest.raises(StoreUnavailable):
        worker_of(due).run_events()
    due.start = fail
    with pytest.raises(StoreUnavailable):
        worker_of(due).run_events()
