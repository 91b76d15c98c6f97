from dibs.access.access import SERVICE
from dibs.conductor.leases import LeaseWorker
from dibs.leases.model.dates import LeaseRules
from dibs.leases.model.leases import ACTIVE, STARTING, TERMINATED, TERMINATING
from dibs.leases.model.outbox import (
    CALL_SECONDS,
    CLEAN_UP,
    CREATE_FLAVORS,
    GRANT_FLAVORS,
    LONGEST_PAUSE_SECONDS,
    OutboxCall,
)
from dibs.leases.operations.outbox import (
    PostponeOutboxCall,
    finish_outbox_call,
    list_outbox_calls,
    postpone_outbox_call,
    take_outbox_call,
)
from tests import lease_builders as leases
from tests.builders import Ledger

EXTERNAL = LeaseRules(external_compute=True)


def due(ledger: Ledger) -> list[OutboxCall]:
    return ledger.runner.read(list_outbox_calls, SERVICE, 10)


def take(ledger: Ledger, call: OutboxCall) -> bool:
    return ledger.runner.write(take_outbox_call, SERVICE, call)


def finish(ledger: Ledger, call: OutboxCall) -> None:
    ledger.runner.write(finish_outbox_call, SERVICE, call)


def run_events(ledger: Ledger, hours: float) -> None:
    ledger.clock.move((leases.at(hours) - ledger.clock()) / 1_000_000)
    LeaseWorker(ledger.runner, ledger.clock, reassignment_seconds=0, cleaning_minutes=0).run_events()


def test_call_is_taken_by_one_conductor_until_it_times_out(ledger: Ledger) -> None:
    leases.make_host(ledger)
    leases.lease(ledger, 1, 2, leases.instances(), rules=EXTERNAL)
    (call,) = due(ledger)
    assert call.kind == CREATE_FLAVORS
    assert [take(ledger, call), take(ledger, call)] == [True, False]
    assert due(ledger) == []
    ledger.clock.move(CALL_SECONDS)
    (repeated,) = due(ledger)
    assert (repeated.id, repeated.attempts) == (call.id, 1)


def test_taken_call_is_due_after_the_clock_was_set_back(ledger: Ledger) -> None:
    leases.make_host(ledger)
    leases.lease(ledger, 1, 2, leases.instances(), rules=EXTERNAL)
    (call,) = due(ledger)
    take(ledger, call)
    ledger.clock.move(-LONGEST_PAUSE_SECONDS)
    assert [each.id for each in due(ledger)] == [call.id]


def test_postponed_call_records_the_problem(ledger: Ledger) -> None:
    leases.make_host(ledger)
    leases.lease(ledger, 1, 2, leases.instances(), rules=EXTERNAL)
    (call,) = due(ledger)
    take(ledger, call)
    ledger.runner.write(postpone_outbox_call, SERVICE, PostponeOutboxCall(call=call, problem="refused"))
    assert due(ledger) == []
    ledger.clock.move(1)
    assert [each.last_error for each in due(ledger)] == ["refused"]


def test_calls_of_a_lease_are_due_one_after_the_other(ledger: Ledger) -> None:
    leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.instances(), leases.instances(), rules=EXTERNAL)
    first, second = made.reservations
    for reservation in (first, second):
        (call,) = due(ledger)
        assert [flavor["flavor"] for flavor in call.arguments["flavors"]] == [reservation.uuid]
        finish(ledger, call)
    assert due(ledger) == []


def test_lease_is_active_when_its_flavors_are_granted_and_ends_when_servers_are_gone(ledger: Ledger) -> None:
    leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.instances(), rules=EXTERNAL)
    finish(ledger, due(ledger)[0])
    for hours, kind, before, after in ((1, GRANT_FLAVORS, STARTING, ACTIVE), (2, CLEAN_UP, TERMINATING, TERMINATED)):
        run_events(ledger, hours)
        assert leases.shown(ledger, made).status == before
        (call,) = due(ledger)
        assert call.kind == kind
        finish(ledger, call)
        assert leases.shown(ledger, made).status == after


def test_clean_up_replaces_earlier_calls_and_waits_for_one_that_is_being_made(ledger: Ledger) -> None:
    leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.instances(), rules=EXTERNAL)
    take(ledger, due(ledger)[0])
    leases.delete(ledger, made)
    assert due(ledger) == []
    ledger.clock.move(CALL_SECONDS)
    assert [call.kind for call in due(ledger)] == [CLEAN_UP]
