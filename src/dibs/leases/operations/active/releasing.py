"""Release a host or an instance of an active lease that its project no longer needs.

Only what is not in use is released: an instance or a claim on the host must be gone before. So no server is lost by
mistake, and the host is free at once.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.leases.model.errors import BadLease, LeaseConflict
from dibs.leases.model.events import LEASE_CHANGED
from dibs.leases.model.hosts import Host
from dibs.leases.model.leases import ACTIVE, Lease, Reservation
from dibs.leases.model.matching.needs import Assignment
from dibs.leases.model.windows import Window
from dibs.leases.operations import booking, reservation_inventories
from dibs.leases.operations.leases import GetLease, allowed
from dibs.leases.operations.updates import UPDATE_RULE, current_hosts
from dibs.leases.queries import hosts, leases
from dibs.ledger.model.claims import InventoryKey
from dibs.ledger.queries import claim_views, inventories, providers, resource_classes


class ReleaseHost(GetLease, frozen=True, kw_only=True):
    """Release a host of an active lease, or one instance on it."""

    rule: str = UPDATE_RULE
    host: str
    """The name or id of the host, or the uuid of its node or provider."""


class Released(Struct, frozen=True, kw_only=True):
    """What an active lease has after a release."""

    lease: str
    hosts: Mapping[str, int]
    """The names of the hosts, each with the number of instances; 1 for a whole host."""


def release_host(tx: Transaction, access: Access, now: int, command: ReleaseHost) -> Released:
    """Release a whole host, or one instance when the lease has instances on the host."""
    lease = allowed(access, leases.lock(tx, command.uuid), command)
    if lease.status != ACTIVE:
        raise LeaseConflict(reason=f"Lease {lease.uuid} is {lease.status}: only an active lease can release a host.")
    current = current_hosts(tx, lease)
    found = {host.id: host for host in hosts.some(tx, sorted({host for each in current.values() for host in each}))}
    host = _named(found.values(), command.host, lease)
    reservation = next(each for each in lease.reservations if host.id in current[each.id])
    providers.lock_many(tx, {host.provider_id, host.reservation_provider_id}, now)
    amounts = current[reservation.id]
    _check_unused(tx, reservation, host, amounts[host.id])
    left = sum(amounts.values()) - 1
    if not left:
        raise LeaseConflict(reason=f"{host.name} is all that the reservation has: delete the lease instead.")
    after = {each: amount - (each == host.id) for each, amount in amounts.items()}
    after = {each: amount for each, amount in after.items() if amount}
    booking.record_host_changes(tx, lease, found, amounts, after)
    booking.rebook(tx, [reservation.id], [after], Window(lease.start_at, lease.end_at))
    changed = leases.change_reservation(
        tx, lease, reservation, now, least=min(reservation.least, left), most=min(reservation.most, left)
    )
    if not reservation.whole_hosts:
        reservation_inventories.offer(tx, now, changed)
    tx.publish(LEASE_CHANGED)
    return Released(lease=lease.uuid, hosts=_by_name({**current, reservation.id: after}, found))


def _named(booked: Iterable[Host], ident: str, lease: Lease) -> Host:
    for host in booked:
        if ident in (host.name, str(host.id), host.provider):
            return host
    raise BadLease(reason=f"Lease {lease.uuid} has no host {ident}.")


def _check_unused(tx: Transaction, reservation: Reservation, host: Host, amount: int) -> None:
    """Raise LeaseConflict when the locked host is in use, or when all instances on it are."""
    if reservation.whole_hosts:
        consumers = claim_views.consumers_of(tx, classes=(), roots=[host.provider_id])
        if consumers:
            raise LeaseConflict(reason=f"Host {host.name} is in use by {', '.join(consumers)}: remove that first.")
        return
    class_id = resource_classes.ids_of(tx, [reservation.resource_class])[reservation.resource_class]
    offered = inventories.of_classes(tx, [class_id]).get(InventoryKey(host.reservation_provider_id, class_id))
    if offered is not None and offered.used >= amount:
        raise LeaseConflict(reason=f"All {amount} instances on host {host.name} are in use: delete a server first.")


def _by_name(current: Mapping[int, Assignment], found: Mapping[int, Host]) -> dict[str, int]:
    amounts: Counter[str] = Counter()
    for assignment in current.values():
        for host_id, amount in assignment.items():
            amounts[found[host_id].name] += amount
    return dict(sorted(amounts.items()))
