"""Reservations of leases that have not begun, with their hosts: those that can be moved to others."""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import msgspec
from sqlalchemy import Select, bindparam, func, select

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.leases.model.bookings import Booking
from dibs.leases.model.leases import FLAVORED_INSTANCES, PENDING, RESERVATION_PENDING, WHOLE_HOST
from dibs.leases.model.matching.needs import HostNeed
from dibs.leases.model.matching.requirements import Condition, about_traits, parse
from dibs.leases.model.moving.moves import Movable
from dibs.leases.model.windows import Window
from dibs.leases.tables import lease_reservations, leases

_RESERVATION = lease_reservations.c
_SELECT = (
    select(
        _RESERVATION.id,
        leases.c.id.label("lease_id"),
        leases.c.start_at,
        leases.c.end_at,
        _RESERVATION.resource_type,
        _RESERVATION.least,
        _RESERVATION.most,
        _RESERVATION.affinity,
        _RESERVATION.resources,
        _RESERVATION.required_traits,
        _RESERVATION.forbidden_traits,
        _RESERVATION.hypervisor_properties,
        _RESERVATION.resource_properties,
    )
    .join(leases, leases.c.id == _RESERVATION.lease_id)
    .where(
        leases.c.status == PENDING,
        leases.c.start_at > bindparam("now"),
        _RESERVATION.status == RESERVATION_PENDING,
        _RESERVATION.maintenance == 0,
    )
)
_NEAREST = _SELECT.order_by(func.abs(leases.c.start_at - bindparam("moment")), _RESERVATION.id).limit(
    bindparam("count_max")
)
_decode_sizes = msgspec.json.Decoder(dict[str, int]).decode
_decode_names = msgspec.json.Decoder(tuple[str, ...]).decode


def nearest(tx: Transaction, now: int, moment: int, booked: Sequence[Booking], count_max: int) -> list[Movable]:
    """Return the reservations that begin next to a moment, with those of their hosts that are in ``booked``."""
    return _movables(tx.tuples(_NEAREST, {"now": now, "moment": moment, "count_max": count_max}), booked)


def some(tx: Transaction, now: int, booked: Sequence[Booking]) -> list[Movable]:
    """Return those of the reservations with these bookings that have not begun."""
    ids = sorted({booking.reservation_id for booking in booked})
    return [
        movable
        for piece in sets.pieces(ids)
        for movable in _movables(tx.tuples(_some(len(piece)), {"now": now, **sets.numbered("id", piece)}), booked)
    ]


def _movables(rows: Sequence[tuple[Any, ...]], booked: Sequence[Booking]) -> list[Movable]:
    found = {row[0] for row in rows}
    hosts: dict[int, dict[int, int]] = defaultdict(dict)
    for booking in booked:
        if booking.reservation_id in found:
            hosts[booking.reservation_id][booking.host_id] = booking.amount
    return [
        Movable(
            reservation_id=row_id,
            lease_id=lease_id,
            need=_need(*columns),
            window=Window(start_at, end_at),
            hosts=hosts[row_id],
        )
        for row_id, lease_id, start_at, end_at, *columns in rows
        if row_id in hosts
    ]


@lru_cache(maxsize=1_000)
def _need(
    kind: str,
    least: int,
    most: int,
    affinity: int | None,
    resources: str,
    required: str,
    forbidden: str,
    hypervisor_properties: str,
    resource_properties: str,
) -> HostNeed:
    """Return what a reservation needs; cached because many reservations need the same."""
    texts = () if kind == FLAVORED_INSTANCES else (hypervisor_properties, resource_properties)
    written: tuple[Condition, ...] = tuple(condition for text in texts for condition in parse(text))
    return HostNeed(
        whole=kind == WHOLE_HOST,
        least=least,
        most=most,
        affinity=None if affinity is None else bool(affinity),
        resources=_decode_sizes(resources),
        requirements=written + about_traits(_decode_names(required), _decode_names(forbidden)),
    )


@sets.cached
def _some(count: int) -> Select[Any]:
    return _SELECT.where(_RESERVATION.id.in_(sets.binds("id", count)))
