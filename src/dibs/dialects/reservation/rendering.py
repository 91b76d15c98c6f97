"""Leases as the reservation API shows them."""

import json
from typing import Any

from dibs.dialects.reservation.dates import render_date, render_stamp
from dibs.domain.leases import FLAVORED_INSTANCES, Event, Lease, Reservation

SIZES = {"vcpus": "VCPU", "memory_mb": "MEMORY_MB", "disk_gb": "DISK_GB"}
"""The resource class in which each is counted."""


def render_lease(lease: Lease) -> dict[str, Any]:
    """A lease with its reservations and events.

    Quirk: ``trust_id`` is always null. The original acts for the lease's owner by a trust of Keystone; Dibs needs none.
    """
    return {
        "id": lease.uuid,
        "name": lease.name,
        "user_id": lease.user_id,
        "project_id": lease.project_id,
        "start_date": render_date(lease.start_at),
        "end_date": render_date(lease.end_at),
        "trust_id": None,
        "status": lease.status,
        "degraded": lease.degraded,
        "created_at": render_stamp(lease.created_at),
        "updated_at": render_stamp(lease.updated_at),
        "reservations": [_render_reservation(lease, reservation) for reservation in lease.reservations],
        "events": [_render_event(lease, event) for event in lease.events],
    }


def _render_reservation(lease: Lease, reservation: Reservation) -> dict[str, Any]:
    """Quirk: ``resource_id`` is the key of a table that Dibs does not have; the reservation's own id stands for it."""
    common = {
        "id": reservation.uuid,
        "lease_id": lease.uuid,
        "resource_id": reservation.uuid,
        "resource_type": reservation.resource_type,
        "status": reservation.status,
        "missing_resources": reservation.missing_resources,
        "resources_changed": reservation.resources_changed,
        "created_at": render_stamp(reservation.created_at),
        "updated_at": render_stamp(reservation.updated_at),
    }
    return common | (_hosts(reservation) if reservation.whole_hosts else _instances(reservation))


def _hosts(reservation: Reservation) -> dict[str, Any]:
    return {
        "hypervisor_properties": reservation.hypervisor_properties,
        "resource_properties": reservation.resource_properties,
        "before_end": reservation.before_end,
        "min": reservation.least,
        "max": reservation.most,
    }


def _instances(reservation: Reservation) -> dict[str, Any]:
    """The specification gives up aggregates and server groups; the fields stay for those who look at them."""
    return {
        **_size(reservation),
        "amount": reservation.most,
        "affinity": reservation.affinity,
        "resource_properties": reservation.resource_properties,
        "flavor_id": reservation.uuid,
        "aggregate_id": None,
        "server_group_id": None,
    }


def _size(reservation: Reservation) -> dict[str, Any]:
    """How large one instance is: as asked for, or as the flavor says, whatever it takes of its host."""
    if reservation.resource_type == FLAVORED_INSTANCES:
        flavor = json.loads(reservation.resource_properties)
        return {"vcpus": flavor["vcpus"], "memory_mb": flavor["ram"], "disk_gb": flavor["disk"]}
    return {key: reservation.resources.get(name, 0) for key, name in SIZES.items()}


def _render_event(lease: Lease, event: Event) -> dict[str, Any]:
    return {
        "id": event.uuid,
        "lease_id": lease.uuid,
        "event_type": event.kind,
        "time": render_date(event.due_at),
        "status": event.status,
        "created_at": render_stamp(event.created_at),
        "updated_at": render_stamp(event.updated_at),
    }
