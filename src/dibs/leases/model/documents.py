"""Leases, reservations and hosts in the field names of the reservation API.

The reservation dialect renders these fields, and the enforcement service receives whole leases.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from dibs.leases.model.hosts import Host
from dibs.leases.model.leases import BEFORE_END, FLAVORED_INSTANCES, Lease, Reservation

LeaseDocument = Mapping[str, Any]
"""A lease in the field names of the reservation API, each reservation with its hosts."""

_EPOCH = datetime(1970, 1, 1)
_SIZES = {"vcpus": "VCPU", "memory_mb": "MEMORY_MB", "disk_gb": "DISK_GB"}


class LeaseChangeDocument(NamedTuple):
    """A lease before and after a change."""

    current: LeaseDocument
    lease: LeaseDocument


def lease_document(lease: Lease, hosts: Sequence[Sequence[Host]], *, stored: bool = True) -> dict[str, Any]:
    """Return a lease with the hosts of each of its reservations; a lease that is not stored yet has no ids."""
    event = lease.event(BEFORE_END)
    return {
        **({"id": lease.uuid, "status": lease.status} if stored else {}),
        "name": lease.name,
        "user_id": lease.user_id,
        "project_id": lease.project_id,
        "start_date": _date(lease.start_at),
        "end_date": _date(lease.end_at),
        "before_end_date": None if event is None else _date(event.due_at),
        "reservations": [
            {
                **({"id": each.uuid, "lease_id": lease.uuid, "status": each.status} if stored else {}),
                "resource_type": each.resource_type,
                **reservation_fields(each),
                "allocations": [{**host_fields(host), **host.properties} for host in its],
            }
            for each, its in zip(lease.reservations, hosts, strict=True)
        ],
    }


def reservation_fields(reservation: Reservation) -> dict[str, Any]:
    """Return the fields of a reservation that the client chose."""
    if reservation.whole_hosts:
        return {
            "hypervisor_properties": reservation.hypervisor_properties,
            "resource_properties": reservation.resource_properties,
            "before_end": reservation.before_end,
            "min": reservation.least,
            "max": reservation.most,
        }
    return {
        **dict(zip(_SIZES, instance_size(reservation), strict=True)),
        "amount": reservation.most,
        "affinity": reservation.affinity,
        "resource_properties": reservation.resource_properties,
    }


def instance_size(reservation: Reservation) -> tuple[int, int, int]:
    """Return processors, memory and disk of an instance or its flavor, even if it takes something else of a host."""
    if reservation.resource_type == FLAVORED_INSTANCES:
        flavor = json.loads(reservation.resource_properties)
        return flavor["vcpus"], flavor["ram"], flavor["disk"]
    vcpus, memory_mb, disk_gb = (reservation.resources.get(name, 0) for name in _SIZES.values())
    return vcpus, memory_mb, disk_gb


def host_fields(host: Host) -> dict[str, Any]:
    """Return the fields that every host has."""
    return {
        "id": str(host.id),
        "vcpus": host.vcpus,
        "cpu_info": host.cpu_info or "",
        "hypervisor_type": host.hypervisor_type or "",
        "hypervisor_version": host.hypervisor_version,
        "hypervisor_hostname": host.name,
        "service_name": host.service_name or host.name,
        "memory_mb": host.memory_mb,
        "local_gb": host.local_gb,
        "availability_zone": host.availability_zone or "",
    }


def _date(moment: int) -> str:
    return (_EPOCH + timedelta(microseconds=moment)).isoformat(timespec="seconds")
