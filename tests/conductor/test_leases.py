"""Events of leases, and one that fails."""

from dibs.conductor.leases import LeaseWorker
from dibs.database.errors import StoreContended
from dibs.leases.operations.events import fail_event, run_event


class Event:
    kind = "start_lease"

    def __init__(self, lease):
        self.lease = lease


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
