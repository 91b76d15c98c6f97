"""Leases as the reservation API shows them."""

from typing import Any

from dibs.dialects.reservation.documents.dates import render_date, render_stamp
from dibs.leases.model.documents import reservation_fields
from dibs.leases.model.leases import Event, Lease, Reservation


def render_lease(lease: Lease) -> dict[str, Any]:
    """Return a lease with its reservations and events.

    Quirk: ``trust_id`` is always null. The original acts for the owner of a lease by a Keystone trust; Dibs does not.
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
    """Quirk: ``resource_id`` is the key of a table that Dibs does not have; here it is the id of the reservation."""
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
    return common | reservation_fields(reservation) | ({} if reservation.whole_hosts else _instances(reservation))


def _instances(reservation: Reservation) -> dict[str, Any]:
    """Return the fields of instances; the specification drops aggregates and server groups, but clients read them."""
    return {"flavor_id": reservation.uuid, "aggregate_id": None, "server_group_id": None}


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
