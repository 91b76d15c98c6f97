"""List the aggregates of hosts."""

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.leases.model.aggregates import FREEPOOL_ID, FREEPOOL_NAME, FREEPOOL_UUID, HostAggregate
from dibs.leases.model.hosts import NO_DETAILS
from dibs.leases.queries import aggregates, hosts


def list_aggregates(tx: Transaction, access: Access, now: int, command: None) -> list[HostAggregate]:
    """Return the pool of free hosts, and one aggregate for each active reservation of hosts."""
    found = hosts.every(tx, NO_DETAILS)
    names = {host.id: host.service_name or host.name for host in found}
    rows = aggregates.active(tx)
    reserved: dict[int, list[str]] = {row["id"]: [] for row in rows}
    for row in rows:
        if row["host_id"] in names:
            reserved[row["id"]].append(names[row["host_id"]])
    taken = {row["host_id"] for row in rows}
    pool = HostAggregate(
        id=FREEPOOL_ID,
        uuid=FREEPOOL_UUID,
        name=FREEPOOL_NAME,
        hosts=tuple(name for host_id, name in names.items() if host_id not in taken),
        created_at=min((host.created_at for host in found), default=now),
    )
    return [pool, *(_of_reservation(row, reserved[row["id"]]) for row in {row["id"]: row for row in rows}.values())]


def _of_reservation(row: dict[str, object], hosts_of: list[str]) -> HostAggregate:
    values = {name: row[name] for name in ("uuid", "project_id", "created_at", "updated_at")}
    return HostAggregate(
        id=FREEPOOL_ID + int(str(row["id"])),
        name=str(row["uuid"]),
        hosts=tuple(hosts_of),
        **values,  # type: ignore[arg-type]
    )
