"""Several leases in one transaction: locked without waiting, and changed in one statement for each table."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Select, Table, Update, bindparam, select, update

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.leases.model.events import lease_event, reservation_event
from dibs.leases.model.leases import Event, Lease
from dibs.leases.queries.lease_rows import decoding
from dibs.leases.tables import lease_events, lease_reservations, leases

_PARTS = {"reservations": lease_reservations, "events": lease_events}


def lock_free(tx: Transaction, uuids: Sequence[str]) -> list[Lease]:
    """Lock those of some leases that no other transaction has locked, and return them in the order of their ids.

    The lock does not reach across the nodes of a Galera cluster: the transaction must change a lease that it acts on.
    """
    wanted = sets.padded(uuids)
    rows = tx.tuples(_lock_free(len(wanted)), sets.numbered("uuid", wanted))
    if not rows:
        return []
    ids = sets.padded(row[0] for row in rows)
    reservation_rows, event_rows = (tx.tuples(_parts(part, len(ids)), sets.numbered("id", ids)) for part in _PARTS)
    return decoding.assemble(rows, reservation_rows, event_rows)


def change(tx: Transaction, changed: Sequence[Lease], now: int, *, status: str) -> None:
    """Set the state of locked leases."""
    _change(tx, leases, [lease.id for lease in changed], now, status)
    for lease in changed:
        tx.record(lease_event(lease, replace(lease, status=status, updated_at=now)))


def change_reservations(tx: Transaction, of: Sequence[Lease], now: int, *, status: str) -> None:
    """Set the state of all reservations of locked leases."""
    _change(tx, lease_reservations, [each.id for lease in of for each in lease.reservations], now, status)
    for lease in of:
        for each in lease.reservations:
            tx.record(reservation_event(lease, each, replace(each, status=status, updated_at=now)))


def change_events(tx: Transaction, changed: Sequence[Event], now: int, *, status: str) -> None:
    """Set the state of events of locked leases."""
    _change(tx, lease_events, [event.id for event in changed], now, status)


def _change(tx: Transaction, table: Table, row_ids: Sequence[int], now: int, status: str) -> None:
    for ids in map(sets.padded, sets.pieces(row_ids)):
        values = {"new_status": status, "now": now, **sets.numbered("id", ids)}
        tx.change(_update(table, len(ids)), values)


@sets.cached
def _lock_free(count: int) -> Select[Any]:
    """SELECT … FROM leases WHERE uuid IN (…) ORDER BY id FOR UPDATE SKIP LOCKED"""
    chosen = select(*(leases.c[name] for name in decoding.OWN)).where(leases.c.uuid.in_(sets.binds("uuid", count)))
    return chosen.order_by(leases.c.id).with_for_update(skip_locked=True, key_share=True)


@sets.cached
def _parts(part: str, count: int) -> Select[Any]:
    """SELECT … FROM lease_events WHERE lease_id IN (…) ORDER BY lease_id, id"""
    table = _PARTS[part]
    statement = select(*(table.c[name] for name in decoding.OF_LEASE[part]))
    return statement.where(table.c.lease_id.in_(sets.binds("id", count))).order_by(table.c.lease_id, table.c.id)


@sets.cached
def _update(table: Table, count: int) -> Update:
    changes = update(table).where(table.c.id.in_(sets.binds("id", count)))
    return changes.values(status=bindparam("new_status"), updated_at=bindparam("now"))
