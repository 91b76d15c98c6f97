"""Conductors, with their registrations and heartbeats."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import bindparam, insert, select, update

from dibs.database.transaction import Again, Duplicate, Transaction
from dibs.machines.model.conductors import Conductor
from dibs.machines.tables import conductors

_SELECT = select(*conductors.c)
_ALL = _SELECT.order_by(conductors.c.id)
_BY_NAME = _SELECT.where(conductors.c.hostname == bindparam("of_hostname"))
_BY_ID = _SELECT.where(conductors.c.id == bindparam("of_id"))
_BY_INCARNATION = _SELECT.where(conductors.c.incarnation == bindparam("of_incarnation"))
_REGISTRATION = {
    "conductor_group": bindparam("new_group"),
    "drivers": bindparam("new_drivers"),
    "incarnation": bindparam("new_incarnation"),
    "rpc_url": bindparam("new_rpc_url"),
    "online": 1,
    "heartbeat_at": bindparam("now"),
    "alive_until": bindparam("new_alive_until"),
}
_REGISTER_AGAIN = update(conductors).where(conductors.c.hostname == bindparam("of_hostname")).values(_REGISTRATION)
_REGISTER = insert(conductors).values(
    {**_REGISTRATION, "hostname": bindparam("of_hostname"), "created_at": bindparam("now")}
)
_HEARTBEAT = (
    update(conductors)
    .where(conductors.c.incarnation == bindparam("of_incarnation"))
    .values(heartbeat_at=bindparam("now"), alive_until=bindparam("new_alive_until"), online=bindparam("new_online"))
)


def every(tx: Transaction) -> list[Conductor]:
    """Return all conductors that ever registered, the oldest first."""
    return [_conductor(row) for row in tx.rows(_ALL)]


def get(tx: Transaction, hostname: str) -> Conductor | None:
    """Return a conductor by name."""
    row = tx.row(_BY_NAME, {"of_hostname": hostname})
    return _conductor(row) if row else None


def get_by_id(tx: Transaction, conductor_id: int) -> Conductor | None:
    """Return a conductor by row id."""
    row = tx.row(_BY_ID, {"of_id": conductor_id})
    return _conductor(row) if row else None


def get_by_incarnation(tx: Transaction, incarnation: str) -> Conductor | None:
    """Return the conductor of this incarnation; None after another process registered under its name."""
    row = tx.row(_BY_INCARNATION, {"of_incarnation": incarnation})
    return _conductor(row) if row else None


def register(
    tx: Transaction,
    hostname: str,
    *,
    group: str,
    drivers: Collection[str],
    incarnation: str,
    rpc_url: str | None,
    alive_until: int,
    now: int,
) -> None:
    """Register a conductor under its name, in place of an earlier process of that name."""
    values = {
        "of_hostname": hostname,
        "new_group": group,
        "new_drivers": json.dumps(sorted(drivers)),
        "new_incarnation": incarnation,
        "new_rpc_url": rpc_url,
        "new_alive_until": alive_until,
        "now": now,
    }
    if tx.change(_REGISTER_AGAIN, values) == 0:
        try:
            tx.change(_REGISTER, values)
        except Duplicate as error:
            # Another process registered the name concurrently; the next attempt replaces it.
            raise Again from error


def record_heartbeat(tx: Transaction, incarnation: str, *, online: bool, alive_until: int, now: int) -> bool:
    """Record that a conductor is alive or stops; return False when another process has its name."""
    values = {"of_incarnation": incarnation, "new_online": int(online), "new_alive_until": alive_until, "now": now}
    return tx.change(_HEARTBEAT, values) == 1


def _conductor(row: Mapping[str, Any]) -> Conductor:
    return Conductor(**{**row, "drivers": tuple(json.loads(row["drivers"])), "online": bool(row["online"])})
