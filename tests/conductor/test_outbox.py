"""Calls of the outbox: made once, retried after an error."""

from dibs.conductor.outbox import OutboxRunner
from dibs.leases.model.outbox import CLEAN_UP, CREATE_FLAVORS, OutboxCall
from dibs.leases.operations.outbox import finish_outbox_call, postpone_outbox_call, take_outbox_call


class Calls:
    """A runner with one call that is due."""

    def __init__(self, call, *, free=True):
        self.call, self.free, self.wrote = call, free, []

    def read(self, operation, access, command):
        return [self.call]

    def write(self, operation, access, command):
        if operation is take_outbox_call:
            return self.free
        self.wrote.append((operation, getattr(command, "problem", None)))
        return None


class Compute:
    """A compute service that takes a while to clean up, and fails to create flavors."""

    def create_flavors(self, flavors):
        raise RuntimeError("no quota")

    def clean_up(self, flavors, hosts):
        return False


def call(kind):
    return OutboxCall(
        id=1, lease="l", kind=kind, arguments={"flavors": [], "hosts": []}, due_at=0, attempts=0, created_at=0
    )


def test_failed_call_is_postponed_with_its_problem():
    calls = Calls(call(CREATE_FLAVORS))
    assert OutboxRunner(calls, Compute()).run() == 0
    assert calls.wrote == [(postpone_outbox_call, "RuntimeError: no quota")]


def test_call_that_the_service_still_works_on_is_postponed_without_a_problem():
    calls = Calls(call(CLEAN_UP))
    OutboxRunner(calls, Compute()).run()
    assert calls.wrote == [(postpone_outbox_call, None)]


def test_call_that_another_conductor_took_is_left_alone():
    calls = Calls(call(CLEAN_UP), free=False)
    OutboxRunner(calls, Compute()).run()
    assert calls.wrote == []


def test_call_to_a_service_that_is_no_longer_configured_is_kept():
    calls = Calls(call(CREATE_FLAVORS))
    OutboxRunner(calls, None).run()
    ((operation, problem),) = calls.wrote
    assert operation is postpone_outbox_call
    assert "ServiceNotConfigured" in problem


def test_call_of_a_later_release_is_kept():
    calls = Calls(call("defragment"))
    OutboxRunner(calls, Compute()).run()
    ((operation, problem),) = calls.wrote
    assert operation is postpone_outbox_call
    assert "this release does not know defragment" in problem


def test_done_call_is_finished():
    class Quick(Compute):
        def clean_up(self, flavors, hosts):
            return True

    calls = Calls(call(CLEAN_UP))
    assert OutboxRunner(calls, Quick()).run() == 1
    assert calls.wrote == [(finish_outbox_call, None)]
