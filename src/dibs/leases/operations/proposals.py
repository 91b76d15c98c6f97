"""What a lease would be if it were made or changed now, for somebody who has a say in it. Nothing is booked."""

from collections.abc import Sequence
from dataclasses import replace

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.leases.model.enforcement import Told, ToldChange, told_lease
from dibs.leases.model.hosts import Host
from dibs.leases.model.leases import BEFORE_END
from dibs.leases.model.matching import Picks
from dibs.leases.operations import calendar
from dibs.leases.operations.changes import ChangeLease, plan_change
from dibs.leases.operations.leases import NewLease, allowed, plan_lease, planned_lease, question_of
from dibs.leases.queries import hosts, leases


def propose_lease(tx: Transaction, access: Access, now: int, command: NewLease) -> Told:
    """A lease as it would be made; refused like the lease itself."""
    plan = plan_lease(tx, access, now, command)
    picks = calendar.propose(tx, now, question_of(plan, command)) if plan.reservations else []
    return told_lease(planned_lease(access, now, command, plan), _hosts(tx, picks), made=False)


def propose_change(tx: Transaction, access: Access, now: int, command: ChangeLease) -> ToldChange:
    """A lease as it is and as it would be; refused like the change itself."""
    lease = allowed(access, leases.get(tx, command.uuid), command)
    plan = plan_change(tx, now, lease, command)
    had = [plan.had[each.id] for each in lease.reservations]
    picks = had if plan.question is None else calendar.propose(tx, now, plan.question)
    announced = plan.announced
    changed = replace(
        lease,
        events=tuple(
            replace(each, due_at=announced) if each.kind == BEFORE_END and announced is not None else each
            for each in lease.events
        ),
        name=command.name or lease.name,
        start_at=plan.window.start,
        end_at=plan.window.end,
        reservations=tuple(plan.after),
    )
    return ToldChange(told_lease(lease, _hosts(tx, had)), told_lease(changed, _hosts(tx, picks)))


def _hosts(tx: Transaction, picks: Sequence[Picks]) -> list[list[Host]]:
    """The hosts of each reservation."""
    found = {host.id: host for host in hosts.some(tx, sorted({host_id for its in picks for host_id in its}))}
    return [[found[host_id] for host_id in sorted(its)] for its in picks]
