"""Reservations and hosts in the words of the reservation API, which whoever has a say in leases is told in too."""

import json
from typing import Any

from dibs.leases.model.hosts import Host
from dibs.leases.model.leases import FLAVORED_INSTANCES, Reservation

SIZES = {"vcpus": "VCPU", "memory_mb": "MEMORY_MB", "disk_gb": "DISK_GB"}
"""The resource class in which each is counted."""


def described_reservation(reservation: Reservation) -> dict[str, Any]:
    """What was asked for."""
    if reservation.whole_hosts:
        return {
            "hypervisor_properties": reservation.hypervisor_properties,
            "resource_properties": reservation.resource_properties,
            "before_end": reservation.before_end,
            "min": reservation.least,
            "max": reservation.most,
        }
    return {
        **_size(reservation),
        "amount": reservation.most,
        "affinity": reservation.affinity,
        "resource_properties": reservation.resource_properties,
    }


def described_host(host: Host) -> dict[str, Any]:
    """What is known of every host."""
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


def _size(reservation: Reservation) -> dict[str, Any]:
    """How large one instance is: as asked for, or as the flavor says, whatever it takes of its host."""
    if reservation.resource_type == FLAVORED_INSTANCES:
        flavor = json.loads(reservation.resource_properties)
        return {"vcpus": flavor["vcpus"], "memory_mb": flavor["ram"], "disk_gb": flavor["disk"]}
    return {key: reservation.resources.get(name, 0) for key, name in SIZES.items()}
