"""Leases with their reservations and events. The row of a lease is locked before any of them is changed."""

import json
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Insert, Select, Update, bindparam, insert, select, update
from sqlalchemy import delete as delete_rows
from sqlalchemy.sql.dml import Delete

from dibs.access.access import EVERY_PROJECT, VisibleProjects
from dibs.database import sets
from dibs.database.paging import PAGE_BYTES_MAX, PIECE_ROWS, Page
from dibs.database.transaction import Again, Transaction
from dibs.leases.model.events import lease_event, reservation_event
from dibs.leases.model.leases import TERMINATED, Event, Lease, Reservation
from dibs.leases.queries.lease_rows import decoding
from dibs.leases.tables import lease_events, lease_reservations, leases

_FLAGS = (
    "missing_resources",
    "resources_changed",
    "degraded",
    "external_compute",
    "enforced",
    "affinity",
    "maintenance",
)
_STRUCTURES = ("resources", "required_traits", "forbidden_traits")
_TEXT_BYTES = 300
"""About the size of a lease, or of a reservation, without its long texts."""

_OF_LEASE = leases.c.id == bindparam("of_lease")
_LOCK = update(leases).where(leases.c.uuid == bindparam("of_uuid")).values(updated_at=leases.c.updated_at)
_INSERT = insert(leases).values({name: bindparam(name) for name in decoding.LEASE}).returning(leases.c.id)
_DELETE = delete_rows(leases).where(_OF_LEASE)
_GET = select(*(leases.c[name] for name in decoding.OWN)).where(leases.c.uuid == bindparam("of_uuid"))
_POSITION = select(leases.c.id).where(leases.c.uuid == bindparam("of_uuid"))
_IS_OVER = (leases.c.status == TERMINATED, leases.c.updated_at < bindparam("before"))
_ENDED = (
    select(*(leases.c[name] for name in decoding.OWN))
    .where(*_IS_OVER)
    .order_by(leases.c.updated_at, leases.c.id)
    .limit(bindparam("count_max"))
)

_ALL_CURRENT = (
    select(*(leases.c[name] for name in decoding.OWN))
    .where(leases.c.status != TERMINATED)
    .order_by(leases.c.end_at, leases.c.id)
    .limit(bindparam("count_max"))
)
_CURRENT = _ALL_CURRENT.where(leases.c.project_id == bindparam("of_project"))
_CURRENT_OF_NONE = _ALL_CURRENT.where(leases.c.project_id.is_(None))


def get(tx: Transaction, uuid: str) -> Lease | None:
    """Return one lease; None when it does not exist."""
    return next(iter(_with_parts(tx, tx.tuples(_GET, {"of_uuid": uuid}), ())), None)


def lock(tx: Transaction, uuid: str) -> Lease | None:
    """Lock a lease until the transaction ends and return it; None when it does not exist."""
    return get(tx, uuid) if tx.change(_LOCK, {"of_uuid": uuid}) else None


def lock_many(tx: Transaction, lease_ids: Sequence[int]) -> list[Lease]:
    """Lock leases in the order of their ids and return them, without reservations and events."""
    for piece in sets.pieces(sorted(lease_ids)):
        tx.change(_lock_many(len(piece)), sets.numbered("id", piece))
    return some(tx, lease_ids)


def some(tx: Transaction, lease_ids: Sequence[int]) -> list[Lease]:
    """Return the leases with these ids that exist, without reservations and events."""
    return [
        decoding.lease(row)
        for piece in sets.pieces(lease_ids)
        for row in tx.tuples(_some(len(piece)), sets.numbered("id", piece))
    ]


def position(tx: Transaction, uuid: str) -> int | None:
    """Return the place of a lease in the list; None when it does not exist."""
    return next(iter(tx.values(_POSITION, {"of_uuid": uuid})), None)


def page(tx: Transaction, projects: VisibleProjects, after: int, limit: int) -> Page[Lease]:
    """Return leases of projects after a place, the oldest first, until the limit or PAGE_BYTES_MAX."""
    names = None if projects is EVERY_PROJECT else sorted(projects)
    found: Page[Lease] = Page()
    size = 0
    while names != [] and len(found) < limit:
        wanted = min(PIECE_ROWS, limit - len(found))
        piece = _piece(tx, names, found[-1].id if found else after, wanted)
        for lease in piece:
            found.append(lease)
            size += _TEXT_BYTES + sum(map(_text_bytes, lease.reservations))
            if size >= PAGE_BYTES_MAX:
                found.cut = True
                return found
        if len(piece) < wanted:
            break
    return found


def current(tx: Transaction, project: str | None, count_max: int) -> list[Lease]:
    """Return the leases of a project that have not ended, without reservations and events; the first to end first."""
    statement = _CURRENT_OF_NONE if project is None else _CURRENT
    values = {"count_max": count_max} if project is None else {"count_max": count_max, "of_project": project}
    return [decoding.lease(row) for row in tx.tuples(statement, values)]


def add(tx: Transaction, lease: Lease) -> Lease:
    """Add a lease with its reservations and events; return it with the ids of the rows."""
    lease_id = tx.values(_INSERT, _encode({name: getattr(lease, name) for name in decoding.LEASE}))[0]
    made = replace(lease, id=lease_id, reservations=_add_reservations(tx, lease_id, lease.reservations))
    tx.record(lease_event(None, made))
    for reservation in made.reservations:
        tx.record(reservation_event(made, None, reservation))
    return replace(made, events=add_events(tx, lease_id, lease.events))


def _add_reservations(tx: Transaction, lease_id: int, new: Sequence[Reservation]) -> tuple[Reservation, ...]:
    """Add reservations to a lease; return them with the ids of their rows."""
    rows = [_encode({name: getattr(each, name) for name in decoding.RESERVATION}) for each in new]
    ids = _insert_parts(tx, "reservations", lease_id, rows)
    return tuple(replace(each, id=ids[each.uuid]) for each in new)


def add_events(tx: Transaction, lease_id: int, new: Sequence[Event]) -> tuple[Event, ...]:
    """Add events to a lease; return them with the ids of their rows."""
    rows = [{name: getattr(each, name) for name in decoding.EVENT} for each in new]
    ids = _insert_parts(tx, "events", lease_id, rows)
    return tuple(replace(each, id=ids[each.uuid]) for each in new)


def change(tx: Transaction, lease: Lease, now: int, **changes: Any) -> Lease:
    """Change a locked lease; return it with the changes."""
    _change(tx, "leases", lease.id, {**changes, "updated_at": now})
    after = replace(lease, **changes, updated_at=now)
    tx.record(lease_event(lease, after))
    return after


def change_reservation(
    tx: Transaction, lease: Lease, reservation: Reservation, now: int, **changes: Any
) -> Reservation:
    """Change a reservation of a locked lease; return it with the changes."""
    _change(tx, "reservations", reservation.id, {**changes, "updated_at": now})
    after = replace(reservation, **changes, updated_at=now)
    tx.record(reservation_event(lease, reservation, after))
    return after


def change_event(tx: Transaction, event: Event, now: int, **changes: Any) -> Event:
    """Change an event of a locked lease; return it with the changes."""
    _change(tx, "events", event.id, {**changes, "updated_at": now})
    return replace(event, **changes, updated_at=now)


def remove(tx: Transaction, lease: Lease) -> None:
    """Remove a locked lease with its reservations, events and bookings."""
    tx.change(_DELETE, {"of_lease": lease.id})
    for reservation in lease.reservations:
        tx.record(reservation_event(lease, reservation, None))
    tx.record(lease_event(lease, None))


def remove_ended(tx: Transaction, changed_before: int, count_max: int) -> int:
    """Remove terminated leases that have not changed since a moment, the oldest first; return how many."""
    ended = [decoding.lease(row) for row in tx.tuples(_ENDED, {"before": changed_before, "count_max": count_max})]
    for piece in sets.pieces(ended):
        ids = sets.numbered("id", [lease.id for lease in piece])
        if tx.change(_delete_ended(len(piece)), {"before": changed_before, **ids}) != len(piece):
            raise Again  # A client changed or deleted one of them meanwhile.
    for lease in ended:
        tx.record(lease_event(lease, None))
    return len(ended)


_TABLES = {"leases": leases, "reservations": lease_reservations, "events": lease_events}
_PARTS = {"reservations": decoding.RESERVATION, "events": decoding.EVENT}


def _piece(tx: Transaction, projects: Sequence[str] | None, after: int, limit: int) -> list[Lease]:
    of_projects = () if projects is None else projects
    values = {"after": after, "page_limit": limit, **sets.numbered("project", of_projects)}
    rows = tx.tuples(_page(None if projects is None else len(of_projects)), values)
    return _with_parts(tx, rows, of_projects)


def _with_parts(tx: Transaction, rows: Sequence[tuple[Any, ...]], projects: Sequence[str]) -> list[Lease]:
    """Return the leases of rows in the order of their ids, with their reservations and events."""
    if not rows:
        return []
    values = {"first": rows[0][0], "last": rows[-1][0], **sets.numbered("project", projects)}
    # A lease that was added after the first statement is not among those found.
    reservation_rows, event_rows = (tx.tuples(_parts(part, len(projects)), values) for part in _PARTS)
    return decoding.assemble(rows, reservation_rows, event_rows)


def _text_bytes(reservation: Reservation) -> int:
    return _TEXT_BYTES + len(reservation.hypervisor_properties) + len(reservation.resource_properties)


def _insert_parts(tx: Transaction, part: str, lease_id: int, rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    ids: dict[str, int] = {}
    for piece in sets.pieces(rows):
        made = tx.rows(_insert(part, len(piece)), {"of_lease": lease_id, **sets.columns(piece)})
        ids |= {row["uuid"]: row["id"] for row in made}
    return ids


def _change(tx: Transaction, part: str, row_id: int, changes: Mapping[str, Any]) -> None:
    values = {f"new_{name}": value for name, value in _encode(changes).items()}
    tx.change(_update(part, frozenset(changes)), {"of_id": row_id, **values})


def _encode(values: Mapping[str, Any]) -> dict[str, Any]:
    encoded = dict(values)
    for name in _STRUCTURES:
        if name in encoded:
            encoded[name] = json.dumps(encoded[name], separators=(",", ":"), sort_keys=True)
    for name in _FLAGS:
        if encoded.get(name) is not None:
            encoded[name] = int(encoded[name])
    return encoded


@sets.cached
def _page(projects: int | None) -> Select[Any]:
    """SELECT … FROM leases WHERE id > … [AND project_id IN (…)] ORDER BY id LIMIT …"""
    visible = () if projects is None else (leases.c.project_id.in_(sets.binds("project", projects)),)
    statement = select(*(leases.c[name] for name in decoding.OWN)).where(leases.c.id > bindparam("after"), *visible)
    return statement.order_by(leases.c.id).limit(bindparam("page_limit"))


@sets.cached
def _parts(part: str, projects: int) -> Select[Any]:
    """SELECT … FROM lease_events [JOIN leases] WHERE lease_id BETWEEN … [AND project_id IN …] ORDER BY lease_id, id"""
    table = _TABLES[part]
    statement = select(*(table.c[name] for name in decoding.OF_LEASE[part]))
    statement = statement.where(table.c.lease_id.between(bindparam("first"), bindparam("last")))
    statement = statement.order_by(table.c.lease_id, table.c.id)
    if not projects:
        return statement
    joined = table.join(leases, leases.c.id == table.c.lease_id)
    return statement.select_from(joined).where(leases.c.project_id.in_(sets.binds("project", projects)))


@sets.cached
def _lock_many(count: int) -> Update:
    chosen = sets.LockedInOrder(leases.c.id, sets.binds("id", count))
    return update(leases).where(chosen).values(updated_at=leases.c.updated_at)


@sets.cached
def _some(count: int) -> Select[Any]:
    return select(*(leases.c[name] for name in decoding.OWN)).where(leases.c.id.in_(sets.binds("id", count)))


@cache
def _delete_ended(count: int) -> Delete:
    return delete_rows(leases).where(leases.c.id.in_(sets.binds("id", count)), *_IS_OVER)


@lru_cache(maxsize=512)
def _insert(part: str, count: int) -> Insert:
    table = _TABLES[part]
    rows: list[dict[str, Any]] = [
        {"lease_id": bindparam("of_lease"), **{name: bindparam(f"{name}_{position}") for name in _PARTS[part]}}
        for position in range(count)
    ]
    return insert(table).values(rows).returning(table.c.id, table.c.uuid)


@lru_cache(maxsize=512)
def _update(part: str, names: frozenset[str]) -> Update:
    table = _TABLES[part]
    values: dict[Any, Any] = {table.c[name]: bindparam(f"new_{name}") for name in sorted(names)}
    return update(table).where(table.c.id == bindparam("of_id")).values(values)
