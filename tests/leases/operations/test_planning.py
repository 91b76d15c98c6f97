import pytest

from dibs.leases.model.dates import CURRENT_MINUTE, LeaseRules
from dibs.leases.model.errors import BadLease
from dibs.leases.model.leases import BEFORE_END, END, START
from dibs.leases.model.windows import to_minute
from dibs.leases.operations.planning import plan_lease, planned_lease, search_of
from tests.builders import FIRST_INSTANT, Ledger
from tests.lease_builders import OWNER, at, instances, make_host, new_lease, whole


def test_plan_has_a_need_for_each_reservation(ledger: Ledger) -> None:
    command = new_lease(1, 3, whole(2), instances(5), rules=LeaseRules(cleaning_minutes=7))
    plan = ledger.run(lambda tx: plan_lease(tx, OWNER, FIRST_INSTANT, command))
    assert [(need.whole, need.least) for need in plan.needs] == [(True, 2), (False, 5)]
    search = search_of(plan, command)
    assert (search.cleaning_minutes, search.seed) == (7, 1)


def test_planned_lease_belongs_to_the_caller_and_has_its_events(ledger: Ledger) -> None:
    command = new_lease(1, 3, rules=LeaseRules(before_end_minutes=60))
    plan = ledger.run(lambda tx: plan_lease(tx, OWNER, FIRST_INSTANT, command))
    lease = planned_lease(OWNER, FIRST_INSTANT, command, plan)
    assert (lease.user_id, lease.project_id) == ("u", "p")
    assert {event.kind: event.due_at for event in lease.events} == {START: at(1), END: at(3), BEFORE_END: at(2)}


def test_current_minute_is_that_of_the_transaction(ledger: Ledger) -> None:
    command = new_lease(1, 3, start_at=CURRENT_MINUTE)
    plan = ledger.run(lambda tx: plan_lease(tx, OWNER, FIRST_INSTANT, command))
    assert plan.window.start == to_minute(FIRST_INSTANT)


def test_requirement_on_an_unknown_property_is_refused_before_hosts_are_searched(ledger: Ledger) -> None:
    make_host(ledger, gpu="a100")
    for name, known in (("gpu", True), ("rack", False)):
        command = new_lease(1, 2, whole(resource_properties=f'["==", "${name}", "a"]'))
        if known:
            ledger.run(lambda tx, command=command: plan_lease(tx, OWNER, FIRST_INSTANT, command))
        else:
            with pytest.raises(BadLease, match="rack"):
                ledger.run(lambda tx, command=command: plan_lease(tx, OWNER, FIRST_INSTANT, command))
