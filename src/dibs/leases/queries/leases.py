"""Leases with their reservations and events. The row of a lease is locked before any of them is changed."""

import json
from collections.abc import Collection, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from msgspec.structs import replace
from sqlalchemy import ColumnElement, Insert, Select, Update, bindparam, insert, select, update
from sqlalchemy import delete as delete_rows
from sqlalchemy.sql.dml import Delete

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.leases.model.leases import TERMINATED, Event, Lease, Reservation
from dibs.leases.tables import lease_events, lease_reservations, leases

_LEASE = tuple(name for name in Lease.__struct_fields__ if name not in ("id", "reservations", "events"))
_RESERVATION = tuple(name for name in Reservation.__struct_fields__ if name != "id")
_EVENT = tuple(name for name in Event.__struct_fields__ if name != "id")
_FLAGS = ("missing_resources", "resources_changed", "degraded", "external_compute", "enforced", "affinity")
_STRUCTURES = ("resources", "required_traits", "forbidden_traits")
_LISTS = ("required_traits", "forbidden_traits")

_OF_LEASE = leases.c.id == bindparam("of_lease")
_LOCK = update(leases).where(leases.c.uuid == bindparam("of_uuid")).values(updated_at=leases.c.updated_at)
_INSERT = insert(leases).values({name: bindparam(name) for name in _LEASE}).returning(leases.c.id)
_DELETE = delete_rows(leases).where(_OF_LEASE)
_CONDITIONS: Mapping[str, ColumnElement[bool]] = {
    "uuid": leases.c.uuid == bindparam("of_value"),
    "project": leases.c.project_id == bindparam("of_value"),
}


_IS_OVER = (leases.c.status == TERMINATED, leases.c.updated_at < bindparam("before"))
_ENDED = select(leases.c.id).where(*_IS_OVER).order_by(leases.c.updated_at, leases.c.id).limit(bindparam("count_max"))


def get(tx: Transaction, uuid: str) -> Lease | None:
    """Return one lease; None when it does not exist."""
    return next(iter(_load(tx, "uuid", uuid)), None)


def lock(tx: Transaction, uuid: str) -> Lease | None:
    """Lock a lease until the transaction ends and return it; None when it does not exist."""
    return get(tx, uuid) if tx.change(_LOCK, {"of_uuid": uuid}) else None


def every(tx: Transaction) -> list[Lease]:
    """Return every lease, the oldest first."""
    return _load(tx, None, None)


def of_projects(tx: Transaction, projects: Collection[str]) -> list[Lease]:
    """Return the leases of projects, the oldest first."""
    found = [lease for project in sorted(projects) for lease in _load(tx, "project", project)]
    return sorted(found, key=lambda lease: lease.id)


def add(tx: Transaction, lease: Lease) -> Lease:
    """Add a lease with its reservations and events; return it with the ids of the rows."""
    lease_id = tx.values(_INSERT, _encode({name: getattr(lease, name) for name in _LEASE}))[0]
    made = replace(lease, id=lease_id, reservations=add_reservations(tx, lease_id, lease.reservations))
    return replace(made, events=add_events(tx, lease_id, lease.events))


def add_reservations(tx: Transaction, lease_id: int, new: Sequence[Reservation]) -> tuple[Reservation, ...]:
    """Add reservations to a lease; return them with the ids of their rows."""
    rows = [_encode({name: getattr(each, name) for name in _RESERVATION}) for each in new]
    ids = _insert_parts(tx, "reservations", lease_id, rows)
    return tuple(replace(each, id=ids[each.uuid]) for each in new)


def add_events(tx: Transaction, lease_id: int, new: Sequence[Event]) -> tuple[Event, ...]:
    """Add events to a lease; return them with the ids of their rows."""
    rows = [{name: getattr(each, name) for name in _EVENT} for each in new]
    ids = _insert_parts(tx, "events", lease_id, rows)
    return tuple(replace(each, id=ids[each.uuid]) for each in new)


def change(tx: Transaction, lease: Lease, now: int, **changes: Any) -> Lease:
    """Change a locked lease; return it with the changes."""
    _change(tx, "leases", lease.id, {**changes, "updated_at": now})
    return replace(lease, **changes, updated_at=now)


def change_reservation(tx: Transaction, reservation: Reservation, now: int, **changes: Any) -> Reservation:
    """Change a reservation of a locked lease; return it with the changes."""
    _change(tx, "reservations", reservation.id, {**changes, "updated_at": now})
    return replace(reservation, **changes, updated_at=now)


def change_event(tx: Transaction, event: Event, now: int, **changes: Any) -> Event:
    """Change an event of a locked lease; return it with the changes."""
    _change(tx, "events", event.id, {**changes, "updated_at": now})
    return replace(event, **changes, updated_at=now)


def remove(tx: Transaction, lease: Lease) -> None:
    """Remove a locked lease with its reservations, events and bookings."""
    tx.change(_DELETE, {"of_lease": lease.id})


def remove_ended(tx: Transaction, changed_before: int, count_max: int) -> int:
    """Remove terminated leases that have not changed since a moment, the oldest first; return how many."""
    ids = tx.values(_ENDED, {"before": changed_before, "count_max": count_max})
    return sum(
        tx.change(_delete_ended(len(piece)), {"before": changed_before, **sets.numbered("id", piece)})
        for piece in sets.pieces(ids)
    )


_TABLES = {"leases": leases, "reservations": lease_reservations, "events": lease_events}
_PARTS = {"reservations": _RESERVATION, "events": _EVENT}


def _load(tx: Transaction, key: str | None, value: object) -> list[Lease]:
    values = {"of_value": value} if key else {}
    found = tx.rows(_select("leases", key), values)
    reservations: dict[int, list[Reservation]] = {row["id"]: [] for row in found}
    events: dict[int, list[Event]] = {row["id"]: [] for row in found}
    for row in tx.rows(_select("reservations", key), values) if found else []:
        # A lease that was added after the first statement is not among those found.
        reservations.get(row.pop("lease_id"), []).append(Reservation(**_decode(row)))
    for row in tx.rows(_select("events", key), values) if found else []:
        events.get(row.pop("lease_id"), []).append(Event(**row))
    return [
        Lease(**_decode(row), reservations=tuple(reservations[row["id"]]), events=tuple(events[row["id"]]))
        for row in found
    ]


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


def _decode(row: Mapping[str, Any]) -> dict[str, Any]:
    decoded = dict(row)
    for name in _FLAGS:
        if decoded.get(name) is not None:
            decoded[name] = bool(decoded[name])
    for name in _STRUCTURES:
        if name in decoded:
            decoded[name] = json.loads(decoded[name])
    for name in _LISTS:
        if name in decoded:
            decoded[name] = tuple(decoded[name])
    return decoded


@lru_cache(maxsize=16)
def _select(part: str, key: str | None) -> Select[Any]:
    conditions = (_CONDITIONS[key],) if key else ()
    if part == "leases":
        return select(leases.c.id, *(leases.c[name] for name in _LEASE)).where(*conditions).order_by(leases.c.id)
    table = _TABLES[part]
    columns = (table.c[name] for name in ("id", "lease_id", *_PARTS[part]))
    joined = table.join(leases, leases.c.id == table.c.lease_id)
    return select(*columns).select_from(joined).where(*conditions).order_by(table.c.id)


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
