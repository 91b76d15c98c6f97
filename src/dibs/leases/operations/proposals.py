"""Leases as they would be after they are created or updated now, for the enforcement service. Nothing is booked."""

from collections.abc import Sequence

from msgspec.structs import replace

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.leases.model.documents import LeaseChangeDocument, LeaseDocument, lease_document
from dibs.leases.model.hosts import Host
from dibs.leases.model.leases import BEFORE_END
from dibs.leases.model.matching.needs import Assignment
from dibs.leases.operations.leases import allowed
from dibs.leases.operations.matching.search import propose_hosts
from dibs.leases.operations.planning import CreateLease, plan_lease, planned_lease, search_of
from dibs.leases.operations.updates import UpdateLease, plan_update
from dibs.leases.queries import hosts, leases


def propose_lease(tx: Transaction, access: Access, now: int, command: CreateLease) -> LeaseDocument:
    """Return a lease as it would be created; raise what creating it would raise."""
    plan = plan_lease(tx, access, now, command)
    proposed = propose_hosts(tx, now, search_of(plan, command)).assignments if plan.reservations else []
    return lease_document(planned_lease(access, now, command, plan), _hosts(tx, proposed), stored=False)


def propose_update(tx: Transaction, access: Access, now: int, command: UpdateLease) -> LeaseChangeDocument:
    """Return a lease before and after an update; raise what the update would raise."""
    lease = allowed(access, leases.get(tx, command.uuid), command)
    plan = plan_update(tx, now, lease, command)
    current = [plan.current[each.id] for each in lease.reservations]
    proposed = current if plan.search is None else propose_hosts(tx, now, plan.search).assignments
    before_end_at = plan.before_end_at
    changed = replace(
        lease,
        events=tuple(
            replace(each, due_at=before_end_at) if each.kind == BEFORE_END and before_end_at is not None else each
            for each in lease.events
        ),
        name=command.name or lease.name,
        start_at=plan.window.start,
        end_at=plan.window.end,
        reservations=tuple(plan.reservations),
    )
    return LeaseChangeDocument(
        current=lease_document(lease, _hosts(tx, current)), lease=lease_document(changed, _hosts(tx, proposed))
    )


def _hosts(tx: Transaction, assignments: Sequence[Assignment]) -> list[list[Host]]:
    """Return the hosts of each reservation."""
    host_ids = sorted({host_id for assignment in assignments for host_id in assignment})
    found = {host.id: host for host in hosts.some(tx, host_ids)}
    return [[found[host_id] for host_id in sorted(assignment)] for assignment in assignments]
