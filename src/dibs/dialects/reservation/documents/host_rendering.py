"""Hosts, what is booked of them, and what is said of them, as the reservation API shows them."""

from typing import Any

from dibs.dialects.reservation.documents.dates import render_date, render_stamp
from dibs.leases.model.documents import described_host
from dibs.leases.model.hosts import Host
from dibs.leases.model.leases import WHOLE_HOST, PropertyName
from dibs.leases.operations.hosts import HostBookings, PropertyValues


def render_host(host: Host) -> dict[str, Any]:
    """A host; what operators say of it lies beside what is known of every host.

    Quirk: ``status`` and ``trust_id`` are always null, as the original's ``status`` is.
    """
    return {
        **described_host(host),
        "status": None,
        "trust_id": None,
        "reservable": host.trouble is None,
        "created_at": render_stamp(host.created_at),
        "updated_at": render_stamp(host.updated_at),
        **host.properties,
    }


def render_allocation(found: HostBookings) -> dict[str, Any]:
    """What is booked of a host."""
    return {
        "resource_id": str(found.host.id),
        "reservations": [
            {
                "id": booking.reservation,
                "lease_id": booking.lease,
                "start_date": render_date(booking.start_at),
                "end_date": render_date(booking.end_at),
            }
            for booking in found.bookings
        ],
    }


def render_property(found: PropertyValues, *, detail: bool) -> dict[str, Any]:
    """A property in the list, with its values if wanted.

    Quirk bettered: the original says of every property that it is not private.
    """
    shown: dict[str, Any] = {"property": found.property.name}
    return {**shown, "private": found.property.private, "values": list(found.values)} if detail else shown


def render_property_name(name: PropertyName) -> dict[str, Any]:
    """A property by itself. Quirk: it has another form, and its dates too."""
    return {
        "id": name.uuid,
        "resource_type": WHOLE_HOST,
        "property_name": name.name,
        "private": name.private,
        "created_at": render_date(name.created_at),
        "updated_at": None if name.updated_at is None else render_date(name.updated_at),
    }
