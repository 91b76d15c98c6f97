"""Book, list and cancel maintenance.

Maintenance is a lease without a project that books whole hosts: every search, claim, timeline and guard respects it,
it begins and ends by itself, and it is removed like other leases. It never moves, and nothing replaces its hosts.
"""

from uuid import uuid4

from msgspec import Struct
from msgspec.structs import replace

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.leases.model.access import require_to_maintain, require_to_see_maintenance
from dibs.leases.model.errors import LeaseNotFound
from dibs.leases.model.events import LEASE_CHANGED
from dibs.leases.model.leases import END, PENDING, RESERVATION_PENDING, START, WHOLE_HOST, Lease, Reservation
from dibs.leases.model.moving.maintenance import maintenance_need, requirements_of
from dibs.leases.model.moving.planned import Maintenance
from dibs.leases.model.windows import Window
from dibs.leases.operations import booking
from dibs.leases.operations.events import end_and_delete
from dibs.leases.operations.maintenance.planning import find_maintained
from dibs.leases.operations.matching.search import HostSearch
from dibs.leases.operations.planning import NOT_STORED, new_event
from dibs.leases.queries import leases
from dibs.leases.queries.moving import maintenance

HOSTS_LISTED_MAX = 10_000


class BookMaintenance(Struct, frozen=True, kw_only=True):
    """Keep hosts free in a window, and move the leases that are in the way."""

    nodes: str
    window: Window
    name: str
    cleaning_minutes: int = 0


def book_maintenance(tx: Transaction, access: Access, now: int, command: BookMaintenance) -> Maintenance:
    """Book maintenance; raise NotEnoughHosts when the window cannot be cleared any more."""
    require_to_maintain(access)
    chosen = find_maintained(tx, now, command.nodes)
    window = command.window
    search = HostSearch(
        needs=(maintenance_need(chosen),), window=window, cleaning_minutes=command.cleaning_minutes, seed=0
    )
    assignments, found = booking.choose_hosts(tx, now, search)
    lease = leases.add(tx, _lease(access, now, command, [host.id for host in chosen]))
    booking.book(tx, [lease.reservations[0].id], assignments, window)
    booking.record_host_changes(tx, lease, found, (), assignments[0])
    tx.publish(LEASE_CHANGED)
    names = tuple(sorted(host.name for host in chosen))
    return Maintenance(uuid=lease.uuid, name=lease.name, start_at=window.start, end_at=window.end, hosts=names)


def list_maintenance(tx: Transaction, access: Access, now: int, command: None) -> list[Maintenance]:
    """Return maintenance that has not ended, the first to begin first."""
    require_to_see_maintenance(access)
    found: dict[str, Maintenance] = {}
    for row in maintenance.planned(tx, HOSTS_LISTED_MAX):
        uuid, host = row["uuid"], row.pop("host")
        known = found.get(uuid) or Maintenance(**row, hosts=())
        found[uuid] = replace(known, hosts=(*known.hosts, host))
    return list(found.values())


def cancel_maintenance(tx: Transaction, access: Access, now: int, ident: str) -> None:
    """End maintenance, or delete it before it begins. Leases that moved for it stay where they are."""
    require_to_maintain(access)
    lease = leases.lock(tx, ident)
    if lease is None or not any(each.maintenance for each in lease.reservations):
        raise LeaseNotFound(lease=ident)
    end_and_delete(tx, now, lease)


def _lease(access: Access, now: int, command: BookMaintenance, host_ids: list[int]) -> Lease:
    dates = {START: command.window.start, END: command.window.end}
    return Lease(
        id=NOT_STORED,
        uuid=str(uuid4()),
        name=command.name,
        project_id=None,
        user_id=access.actor.user,
        start_at=command.window.start,
        end_at=command.window.end,
        status=PENDING,
        created_at=now,
        reservations=(
            Reservation(
                id=NOT_STORED,
                uuid=str(uuid4()),
                resource_type=WHOLE_HOST,
                status=RESERVATION_PENDING,
                least=len(host_ids),
                most=len(host_ids),
                resource_properties=requirements_of(host_ids),
                created_at=now,
                maintenance=True,
            ),
        ),
        events=tuple(new_event(kind, due_at, now) for kind, due_at in dates.items()),
    )
