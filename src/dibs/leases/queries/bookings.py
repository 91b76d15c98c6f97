"""Read bookings."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, func, select

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.leases.model.bookings import Booking, ListedBooking
from dibs.leases.model.leases import FLAVORED_INSTANCES, WHOLE_HOST
from dibs.leases.model.windows import Window
from dibs.leases.tables import bookings, lease_reservations, leases

_SELECT = select(
    bookings.c.reservation_id,
    bookings.c.host_id,
    bookings.c.start_at,
    bookings.c.end_at,
    bookings.c.amount,
    lease_reservations.c.resource_type,
    lease_reservations.c.resources,
    lease_reservations.c.maintenance,
).join(lease_reservations, lease_reservations.c.id == bookings.c.reservation_id)
_FROM = _SELECT.where(bookings.c.end_at > bindparam("start"))
_OF_HOST = select(bookings.c.host_id).where(bookings.c.host_id == bindparam("of_host")).limit(1)
_LISTED = (
    select(
        bookings.c.host_id,
        lease_reservations.c.uuid.label("reservation"),
        leases.c.uuid.label("lease"),
        bookings.c.start_at,
        bookings.c.end_at,
        bookings.c.amount,
    )
    .join(lease_reservations, lease_reservations.c.id == bookings.c.reservation_id)
    .join(leases, leases.c.id == lease_reservations.c.lease_id)
    .order_by(bookings.c.host_id, bookings.c.start_at, bookings.c.reservation_id)
)
_REQUIREMENTS = (
    select(lease_reservations.c.hypervisor_properties, lease_reservations.c.resource_properties)
    .join(bookings, bookings.c.reservation_id == lease_reservations.c.id)
    .where(bookings.c.host_id == bindparam("of_host"), lease_reservations.c.resource_type != FLAVORED_INSTANCES)
)


def overlapping(tx: Transaction, window: Window, host_ids: Sequence[int] | None) -> list[Booking]:
    """Return the bookings of some hosts, or of all, that overlap a window."""
    values = {"start": window.start, "end": window.end}
    return [
        _booking(row)
        for count, ids in _in_pieces(host_ids)
        for row in tx.tuples(_overlapping(count), {**values, **ids})
    ]


def from_moment(tx: Transaction, moment: int) -> list[Booking]:
    """Return the bookings that end after a moment."""
    return [_booking(row) for row in tx.tuples(_FROM, {"start": moment})]


def of_reservations(tx: Transaction, reservation_ids: Sequence[int]) -> list[Booking]:
    """Return the bookings of reservations."""
    return [
        _booking(row)
        for piece in sets.pieces(reservation_ids)
        for row in tx.tuples(_of_reservations(len(piece)), sets.numbered("id", piece))
    ]


def first_starts(tx: Transaction, host_ids: Sequence[int] | None) -> dict[int, int]:
    """Return the start of the first booking of each of some hosts, or of all, that have bookings."""
    return dict(row for count, ids in _in_pieces(host_ids) for row in tx.tuples(_first_starts(count), ids))


def is_booked(tx: Transaction, host_id: int) -> bool:
    """Return True when a host has a booking."""
    return bool(tx.values(_OF_HOST, {"of_host": host_id}))


def any_ended(tx: Transaction, host_ids: Sequence[int], now: int) -> bool:
    """Return True when a booking of these hosts is over, but its lease has not released the host yet."""
    return any(
        tx.values(_ended(len(piece)), {"now": now, **sets.numbered("id", piece)}) for piece in sets.pieces(host_ids)
    )


def requirements_on(tx: Transaction, host_id: int) -> list[str]:
    """Return the requirements of the reservations that have booked a host, as clients wrote them."""
    return [text for row in tx.tuples(_REQUIREMENTS, {"of_host": host_id}) for text in row if text]


def listed(
    tx: Transaction, *, host_id: int | None, lease: str | None, reservation: str | None, ending_after: int | None
) -> list[ListedBooking]:
    """Return the bookings of one host, lease or reservation, or those that end after a moment."""
    given = {"host_id": host_id, "lease": lease, "reservation": reservation, "ending_after": ending_after}
    asked = {name: value for name, value in given.items() if value is not None}
    return [
        ListedBooking(**row) for row in tx.rows(_listed(frozenset(asked)), {f"of_{k}": v for k, v in asked.items()})
    ]


def _in_pieces(host_ids: Sequence[int] | None) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """Yield the number of hosts and the parameters of each statement; None and nothing for all hosts."""
    if host_ids is None:
        yield None, {}
        return
    for piece in sets.pieces(host_ids):
        yield len(piece), sets.numbered("id", piece)


def _booking(row: tuple[Any, ...]) -> Booking:
    reservation_id, host_id, start_at, end_at, amount, resource_type, resources, maintenance = row
    return Booking(
        reservation_id=reservation_id,
        host_id=host_id,
        start_at=start_at,
        end_at=end_at,
        amount=amount,
        whole=resource_type == WHOLE_HOST,
        resources=_resources(resources),
        maintenance=bool(maintenance),
    )


@lru_cache(maxsize=1_000)
def _resources(text: str) -> Mapping[str, int]:
    """Parse resources; cached because most reservations have one of a few sizes."""
    return MappingProxyType(json.loads(text))


@sets.cached
def _of_reservations(count: int) -> Select[Any]:
    return _SELECT.where(bookings.c.reservation_id.in_(sets.binds("id", count)))


@sets.cached
def _overlapping(count: int | None) -> Select[Any]:
    overlap = bookings.c.end_at > bindparam("start"), bookings.c.start_at < bindparam("end")
    return _SELECT.where(*overlap, *_of_hosts(count))


@sets.cached
def _first_starts(count: int | None) -> Select[Any]:
    first = select(bookings.c.host_id, func.min(bookings.c.start_at)).group_by(bookings.c.host_id)
    return first.where(*_of_hosts(count))


def _of_hosts(count: int | None) -> tuple[ColumnElement[bool], ...]:
    return () if count is None else (bookings.c.host_id.in_(sets.binds("id", count)),)


@sets.cached
def _ended(count: int) -> Select[Any]:
    over = bookings.c.host_id.in_(sets.binds("id", count)), bookings.c.end_at <= bindparam("now")
    return select(bookings.c.host_id).where(*over).limit(1)


@sets.cached
def _listed(asked: frozenset[str]) -> Select[Any]:
    conditions = {
        "host_id": bookings.c.host_id == bindparam("of_host_id"),
        "lease": leases.c.uuid == bindparam("of_lease"),
        "reservation": lease_reservations.c.uuid == bindparam("of_reservation"),
        "ending_after": bookings.c.end_at >= bindparam("of_ending_after"),
    }
    return _LISTED.where(*(conditions[name] for name in sorted(asked)))
