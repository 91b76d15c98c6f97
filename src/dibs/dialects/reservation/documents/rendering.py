"""Leases as the reservation API shows them.

Each document is a struct, not a dictionary: a list of a thousand leases has five thousand of them.
"""

from msgspec import Struct

from dibs.dialects.reservation.documents.dates import render_date, render_stamp
from dibs.leases.model.documents import instance_size
from dibs.leases.model.leases import Event, Lease, Reservation


class EventDocument(Struct):
    """An event of a lease."""

    id: str
    lease_id: str
    event_type: str
    time: str
    status: str
    created_at: str | None
    updated_at: str | None


class ReservationDocument(Struct):
    """The fields of every reservation.

    Quirk: ``resource_id`` is the key of a table that Dibs does not have; here it is the id of the reservation.
    """

    id: str
    lease_id: str
    resource_id: str
    resource_type: str
    status: str
    missing_resources: bool
    resources_changed: bool
    created_at: str | None
    updated_at: str | None


class WholeHostsDocument(ReservationDocument):
    """A reservation of whole hosts."""

    hypervisor_properties: str
    resource_properties: str
    before_end: str | None
    min: int
    max: int


class InstancesDocument(ReservationDocument):
    """A reservation of instances. The specification drops aggregates and server groups, but clients read them."""

    vcpus: int
    memory_mb: int
    disk_gb: int
    amount: int
    affinity: bool | None
    resource_properties: str
    flavor_id: str
    aggregate_id: None = None
    server_group_id: None = None


class LeaseDocument(Struct):
    """A lease with its reservations and events.

    Quirk: ``trust_id`` is always null. The original acts for the owner of a lease by a Keystone trust; Dibs does not.
    """

    id: str
    name: str
    user_id: str | None
    project_id: str | None
    start_date: str
    end_date: str
    trust_id: None
    status: str
    degraded: bool
    created_at: str | None
    updated_at: str | None
    reservations: list[ReservationDocument]
    events: list[EventDocument]


def render_lease(lease: Lease) -> LeaseDocument:
    """Return the document of a lease."""
    return LeaseDocument(
        lease.uuid,
        lease.name,
        lease.user_id,
        lease.project_id,
        render_date(lease.start_at),
        render_date(lease.end_at),
        None,
        lease.status,
        lease.degraded,
        render_stamp(lease.created_at),
        render_stamp(lease.updated_at),
        [_render_reservation(lease, reservation) for reservation in lease.reservations],
        [_render_event(lease, event) for event in lease.events],
    )


def _render_reservation(lease: Lease, reservation: Reservation) -> ReservationDocument:
    common = (
        reservation.uuid,
        lease.uuid,
        reservation.uuid,
        reservation.resource_type,
        reservation.status,
        reservation.missing_resources,
        reservation.resources_changed,
        render_stamp(reservation.created_at),
        render_stamp(reservation.updated_at),
    )
    if reservation.whole_hosts:
        return WholeHostsDocument(
            *common,
            reservation.hypervisor_properties,
            reservation.resource_properties,
            reservation.before_end,
            reservation.least,
            reservation.most,
        )
    vcpus, memory_mb, disk_gb = instance_size(reservation)
    return InstancesDocument(
        *common,
        vcpus,
        memory_mb,
        disk_gb,
        reservation.most,
        reservation.affinity,
        reservation.resource_properties,
        reservation.uuid,
    )


def _render_event(lease: Lease, event: Event) -> EventDocument:
    return EventDocument(
        event.uuid,
        lease.uuid,
        event.kind,
        render_date(event.due_at),
        event.status,
        render_stamp(event.created_at),
        render_stamp(event.updated_at),
    )
