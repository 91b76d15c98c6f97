"""Hosts, their bookings and their properties as the reservation API shows them."""

from typing import Any

from dibs.dialects.reservation.documents.dates import render_date, render_stamp
from dibs.leases.model.documents import host_fields
from dibs.leases.model.hosts import Host, PropertyName
from dibs.leases.model.leases import WHOLE_HOST
from dibs.leases.operations.hosts import HostBookings, PropertyValues


def render_host(host: Host) -> dict[str, Any]:
    """Return a host; its properties are keys next to the fields that every host has.

    Quirk: ``status`` and ``trust_id`` are always null, as the original's ``status`` is.
    """
    return {
        **host_fields(host),
        "status": None,
        "trust_id": None,
        "reservable": host.out_of_service is None,
        "created_at": render_stamp(host.created_at),
        "updated_at": render_stamp(host.updated_at),
        **host.properties,
    }


def render_allocation(found: HostBookings) -> dict[str, Any]:
    """Return the bookings of a host."""
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
    """Return a property in the list, with its values if ``detail``.

    Quirk not copied: the original shows every property as not private.
    """
    shown: dict[str, Any] = {"property": found.property.name}
    return {**shown, "private": found.property.private, "values": list(found.values)} if detail else shown


def render_property_name(name: PropertyName) -> dict[str, Any]:
    """Return a property by itself. Quirk: its fields and its dates differ from those in the list."""
    return {
        "id": name.uuid,
        "resource_type": WHOLE_HOST,
        "property_name": name.name,
        "private": name.private,
        "created_at": render_date(name.created_at),
        "updated_at": None if name.updated_at is None else render_date(name.updated_at),
    }
