"""Somebody outside who has a say in which leases are made and changed, and is told when they end."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Protocol

from dibs.leases.model.documents import described_host, described_reservation
from dibs.leases.model.hosts import Host
from dibs.leases.model.leases import BEFORE_END, Lease

_EPOCH = datetime(1970, 1, 1)

Told = Mapping[str, Any]
"""A lease in the words of the reservation API, each reservation with the hosts that it has or would have."""


class ToldChange(NamedTuple):
    """A lease as it is and as it would be."""

    current: Told
    lease: Told


class Enforcement(Protocol):
    """Each call is made with no transaction open, since it may take its time."""

    def check_create(self, lease: Told) -> None:
        """Raise LeaseRefused unless the lease may be made."""

    def check_update(self, change: ToldChange) -> None:
        """Raise LeaseRefused unless the lease may be changed so."""

    def notify_end(self, lease: Told) -> None:
        """Say that a lease has ended; it may be said twice."""


def told_lease(lease: Lease, hosts: Sequence[Sequence[Host]], *, made: bool = True) -> dict[str, Any]:
    """A lease with the hosts of each of its reservations; one that is not made yet has no ids."""
    event = lease.event(BEFORE_END)
    return {
        **({"id": lease.uuid, "status": lease.status} if made else {}),
        "name": lease.name,
        "user_id": lease.user_id,
        "project_id": lease.project_id,
        "start_date": _date(lease.start_at),
        "end_date": _date(lease.end_at),
        "before_end_date": None if event is None else _date(event.due_at),
        "reservations": [
            {
                **({"id": each.uuid, "lease_id": lease.uuid, "status": each.status} if made else {}),
                "resource_type": each.resource_type,
                **described_reservation(each),
                "allocations": [{**described_host(host), **host.properties} for host in its],
            }
            for each, its in zip(lease.reservations, hosts, strict=True)
        ],
    }


def _date(moment: int) -> str:
    return (_EPOCH + timedelta(microseconds=moment)).isoformat(timespec="seconds")
