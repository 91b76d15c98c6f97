"""The tables of hosts, bookings, leases and the outbox of calls to other services.

``dibs.database.schema`` explains the conventions and how to change a table.
"""

from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKey, Index, Integer, String, UniqueConstraint

from dibs.database.schema import ROW_ID, json, long_text, owned_by, row_id, table, text, time, truth, uuid

calendar = table(
    "calendar",
    # Not used: bookings lock their hosts (ADR 0013). A later release removes the table.
    row_id(),
    Column("generation", BigInteger, nullable=False),
)

hosts = table(
    "hosts",
    row_id(),
    # The compute provider or bare-metal node that can be booked. It cannot be deleted while it is a host.
    Column("provider_id", ROW_ID, ForeignKey("providers.id"), nullable=False),
    # Its child, on which active leases offer their instances.
    Column("reservation_provider_id", ROW_ID, ForeignKey("providers.id"), nullable=False),
    Column("name", String(255), nullable=False),
    text("service_name"),
    text("availability_zone"),
    text("hypervisor_type"),
    Column("hypervisor_version", Integer, nullable=False, server_default="0"),
    long_text("cpu_info"),
    time("created_at", nullable=False),
    time("updated_at"),
    UniqueConstraint("provider_id"),
    UniqueConstraint("reservation_provider_id"),
    UniqueConstraint("name"),
)

host_properties = table(
    "host_properties",
    # Properties that operators gave to a host; Blazar calls them extra capabilities.
    owned_by("host_id", "hosts.id", primary_key=True),
    Column("name", String(64), primary_key=True, nullable=False),
    Column("value", String(255), nullable=False),
    Index(None, "name"),
)

property_names = table(
    "property_names",
    row_id(),
    uuid(),
    Column("name", String(64), nullable=False),
    truth("private"),
    time("created_at", nullable=False),
    time("updated_at"),
    UniqueConstraint("uuid"),
    UniqueConstraint("name"),
)

leases = table(
    "leases",
    row_id(),
    uuid(),
    Column("name", String(80), nullable=False),
    text("project_id"),
    text("user_id"),
    time("start_at", nullable=False),
    time("end_at", nullable=False),
    Column("status", String(15), nullable=False),
    truth("degraded"),
    # An external compute service keeps its flavors and servers; outbox calls keep that service up to date.
    truth("external_compute"),
    # The enforcement service is notified of its end.
    truth("enforced"),
    # The start that an event has announced; another one when the start was moved since.
    time("noticed_start_at"),
    time("created_at", nullable=False),
    time("updated_at"),
    UniqueConstraint("uuid"),
    Index(None, "project_id"),
    Index(None, "project_id", "end_at"),
    Index(None, "end_at"),
    Index(None, "status", "updated_at"),
)

lease_reservations = table(
    "lease_reservations",
    row_id(),
    uuid(),
    owned_by("lease_id", "leases.id"),
    Column("resource_type", String(40), nullable=False),
    Column("status", String(15), nullable=False),
    truth("missing_resources"),
    truth("resources_changed"),
    # The minimum and maximum number of hosts; for instances both are the number of instances.
    Column("least", BigInteger, nullable=False),
    Column("most", BigInteger, nullable=False),
    # 1: all instances on one host; 0: each on another host; NULL: no preference.
    Column("affinity", Integer, nullable=True),
    # What one instance takes of its host, by resource class; empty when the whole host is taken.
    json("resources"),
    # Traits that a host must have and must not have, from a flavor.
    json("required_traits", "[]"),
    json("forbidden_traits", "[]"),
    # As the client wrote them, because they are shown so.
    long_text("hypervisor_properties"),
    long_text("resource_properties"),
    text("before_end"),
    # Planned maintenance: the hosts are kept free for work on them.
    truth("maintenance"),
    time("created_at", nullable=False),
    time("updated_at"),
    UniqueConstraint("uuid"),
    Index(None, "lease_id"),
    Index(None, "status"),
)

lease_events = table(
    "lease_events",
    row_id(),
    uuid(),
    owned_by("lease_id", "leases.id"),
    Column("kind", String(20), nullable=False),
    Column("status", String(15), nullable=False),
    time("due_at", nullable=False),
    time("created_at", nullable=False),
    time("updated_at"),
    UniqueConstraint("uuid"),
    UniqueConstraint("lease_id", "kind"),
    Index(None, "status", "due_at"),
)

bookings = table(
    "bookings",
    # A host for one reservation in the window [start_at, end_at) of its lease. Only operations.booking writes them.
    owned_by("reservation_id", "lease_reservations.id", primary_key=True),
    Column("host_id", ROW_ID, ForeignKey("hosts.id"), primary_key=True, nullable=False),
    time("start_at", nullable=False),
    time("end_at", nullable=False),
    # The number of instances on the host; 1 when the host is booked whole.
    Column("amount", BigInteger, nullable=False),
    CheckConstraint("start_at < end_at", name="window"),
    CheckConstraint("amount > 0", name="amount"),
    Index(None, "host_id", "end_at", "start_at"),
    Index(None, "end_at", "start_at"),
)

outbox_calls = table(
    "outbox_calls",
    # A call to an external service, made after the commit of the transaction that adds it, retried until it succeeds.
    row_id(),
    Column("kind", String(40), nullable=False),
    uuid("lease", nullable=True),
    json("arguments"),
    Column("attempts", Integer, nullable=False, server_default="0"),
    # The conductor that makes the call moves this ahead, so that no other conductor makes it at the same time.
    time("due_at", nullable=False),
    long_text("last_error"),
    time("created_at", nullable=False),
    Index(None, "due_at"),
    Index(None, "lease"),
)
