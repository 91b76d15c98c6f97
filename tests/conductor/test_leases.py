"""Events of leases, and one that fails."""

import threading

import pytest

from dibs.conductor.leases import LeaseWorker
from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.leases.operations.events import fail_event, run_event


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
    """A runner with due events; ``run`` decides what each of them does."""

    def __init__(self, events, run):
        self.events = events
        self.run = run
        self.ran = []

    def read(self, operation, access, command):
        return self.events

    def write(self, operation, access, event):
        self.ran.append((event.lease, event.kind))
        return self.run(event)


def worker_of(due):
    return LeaseWorker(due, lambda: 0, reassignment_seconds=0, cleaning_minutes=0)


def test_events_of_different_leases_run_side_by_side():
    both = threading.Barrier(2, timeout=60)
    due = Due([Event("a"), Event("b")], lambda event: both.wait() >= 0)
    assert worker_of(due).run_events() == 2


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

    with pytest.raises(StoreUnavailable):
        worker_of(Due([Event("a"), Event("b")], fail)).run_events()
