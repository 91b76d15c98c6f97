"""Hosts, leases and their bookings; flavors and servers; calls to be made outside."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0003"
down_revision = "0002"

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
LONG_TEXT = sa.Text().with_variant(mysql.LONGTEXT(), "mysql", "mariadb")
MARIADB_OPTIONS: dict[str, Any] = {
    "mariadb_engine": "InnoDB",
    "mariadb_charset": "utf8mb4",
    "mariadb_collate": "utf8mb4_nopad_bin",
}


def upgrade() -> None:
    op.create_table(
        "calendar",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("generation", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_calendar")),
        **MARIADB_OPTIONS,
    )
    op.create_table(
        "errands",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("lease", sa.String(length=36), nullable=True),
        sa.Column("arguments", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("last_error", LONG_TEXT, nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_errands")),
        **MARIADB_OPTIONS,
    )
    op.create_index(op.f("ix_errands_due_at"), "errands", ["due_at"], unique=False)
    op.create_index(op.f("ix_errands_lease"), "errands", ["lease"], unique=False)
    op.create_table(
        "leases",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("uuid", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=True),
        sa.Column("user_id", sa.String(length=255), nullable=True),
        sa.Column("start_at", sa.BigInteger(), nullable=False),
        sa.Column("end_at", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(length=15), nullable=False),
        sa.Column("degraded", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("outside", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("enforced", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_leases")),
        sa.UniqueConstraint("uuid", name=op.f("uq_leases_uuid")),
        **MARIADB_OPTIONS,
    )
    op.create_index(op.f("ix_leases_project_id"), "leases", ["project_id"], unique=False)
    op.create_table(
        "property_names",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("uuid", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("private", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_property_names")),
        sa.UniqueConstraint("name", name=op.f("uq_property_names_name")),
        sa.UniqueConstraint("uuid", name=op.f("uq_property_names_uuid")),
        **MARIADB_OPTIONS,
    )
    op.create_table(
        "hosts",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("provider_id", ROW_ID, nullable=False),
        sa.Column("reservation_provider_id", ROW_ID, nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("service_name", sa.String(length=255), nullable=True),
        sa.Column("availability_zone", sa.String(length=255), nullable=True),
        sa.Column("hypervisor_type", sa.String(length=255), nullable=True),
        sa.Column("hypervisor_version", sa.Integer(), server_default="0", nullable=False),
        sa.Column("cpu_info", LONG_TEXT, nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["provider_id"], ["providers.id"], name=op.f("fk_hosts_provider_id")),
        sa.ForeignKeyConstraint(
            ["reservation_provider_id"], ["providers.id"], name=op.f("fk_hosts_reservation_provider_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hosts")),
        sa.UniqueConstraint("name", name=op.f("uq_hosts_name")),
        sa.UniqueConstraint("provider_id", name=op.f("uq_hosts_provider_id")),
        sa.UniqueConstraint("reservation_provider_id", name=op.f("uq_hosts_reservation_provider_id")),
        **MARIADB_OPTIONS,
    )
    op.create_table(
        "lease_events",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("uuid", sa.String(length=36), nullable=False),
        sa.Column("lease_id", ROW_ID, nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("status", sa.String(length=15), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["lease_id"], ["leases.id"], name=op.f("fk_lease_events_lease_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lease_events")),
        sa.UniqueConstraint("lease_id", "kind", name=op.f("uq_lease_events_lease_id_kind")),
        sa.UniqueConstraint("uuid", name=op.f("uq_lease_events_uuid")),
        **MARIADB_OPTIONS,
    )
    op.create_index(op.f("ix_lease_events_status_due_at"), "lease_events", ["status", "due_at"], unique=False)
    op.create_table(
        "lease_reservations",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("uuid", sa.String(length=36), nullable=False),
        sa.Column("lease_id", ROW_ID, nullable=False),
        sa.Column("resource_type", sa.String(length=40), nullable=False),
        sa.Column("status", sa.String(length=15), nullable=False),
        sa.Column("missing_resources", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("resources_changed", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("least", sa.BigInteger(), nullable=False),
        sa.Column("most", sa.BigInteger(), nullable=False),
        sa.Column("affinity", sa.Integer(), nullable=True),
        sa.Column("resources", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("required_traits", LONG_TEXT, server_default="[]", nullable=False),
        sa.Column("forbidden_traits", LONG_TEXT, server_default="[]", nullable=False),
        sa.Column("hypervisor_properties", LONG_TEXT, nullable=True),
        sa.Column("resource_properties", LONG_TEXT, nullable=True),
        sa.Column("before_end", sa.String(length=255), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["lease_id"], ["leases.id"], name=op.f("fk_lease_reservations_lease_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lease_reservations")),
        sa.UniqueConstraint("uuid", name=op.f("uq_lease_reservations_uuid")),
        **MARIADB_OPTIONS,
    )
    op.create_index(op.f("ix_lease_reservations_lease_id"), "lease_reservations", ["lease_id"], unique=False)
    op.create_table(
        "bookings",
        sa.Column("reservation_id", ROW_ID, nullable=False),
        sa.Column("host_id", ROW_ID, nullable=False),
        sa.Column("start_at", sa.BigInteger(), nullable=False),
        sa.Column("end_at", sa.BigInteger(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("amount > 0", name=op.f("ck_bookings_amount")),
        sa.CheckConstraint("start_at < end_at", name=op.f("ck_bookings_window")),
        sa.ForeignKeyConstraint(["host_id"], ["hosts.id"], name=op.f("fk_bookings_host_id")),
        sa.ForeignKeyConstraint(
            ["reservation_id"], ["lease_reservations.id"], name=op.f("fk_bookings_reservation_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("reservation_id", "host_id", name=op.f("pk_bookings")),
        **MARIADB_OPTIONS,
    )
    op.create_index(op.f("ix_bookings_end_at_start_at"), "bookings", ["end_at", "start_at"], unique=False)
    op.create_index(
        op.f("ix_bookings_host_id_end_at_start_at"), "bookings", ["host_id", "end_at", "start_at"], unique=False
    )
    op.create_table(
        "flavors",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("flavor", sa.String(length=255), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("description", LONG_TEXT, nullable=True),
        sa.Column("vcpus", sa.BigInteger(), nullable=False),
        sa.Column("memory_mb", sa.BigInteger(), nullable=False),
        sa.Column("disk_gb", sa.BigInteger(), nullable=False),
        sa.Column("ephemeral_gb", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("swap_mb", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("rxtx_factor", sa.Double(), server_default="1", nullable=False),
        sa.Column("public", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("extra_specs", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("reservation_id", ROW_ID, nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["reservation_id"], ["lease_reservations.id"], name=op.f("fk_flavors_reservation_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_flavors")),
        sa.UniqueConstraint("flavor", name=op.f("uq_flavors_flavor")),
        sa.UniqueConstraint("name", name=op.f("uq_flavors_name")),
        sa.UniqueConstraint("reservation_id", name=op.f("uq_flavors_reservation_id")),
        **MARIADB_OPTIONS,
    )
    op.create_table(
        "host_properties",
        sa.Column("host_id", ROW_ID, nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("value", sa.String(length=255), nullable=False),
        sa.ForeignKeyConstraint(["host_id"], ["hosts.id"], name=op.f("fk_host_properties_host_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("host_id", "name", name=op.f("pk_host_properties")),
        **MARIADB_OPTIONS,
    )
    op.create_index(op.f("ix_host_properties_name"), "host_properties", ["name"], unique=False)
    op.create_table(
        "servers",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("uuid", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=True),
        sa.Column("user_id", sa.String(length=255), nullable=True),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("fault", LONG_TEXT, nullable=True),
        sa.Column("flavor", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("reservation_id", ROW_ID, nullable=True),
        sa.Column("provider_id", ROW_ID, nullable=True),
        sa.Column("image", sa.String(length=255), nullable=True),
        sa.Column("availability_zone", sa.String(length=255), nullable=True),
        sa.Column("properties", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=True),
        sa.Column("launched_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["provider_id"], ["providers.id"], name=op.f("fk_servers_provider_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["reservation_id"], ["lease_reservations.id"], name=op.f("fk_servers_reservation_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_servers")),
        sa.UniqueConstraint("uuid", name=op.f("uq_servers_uuid")),
        **MARIADB_OPTIONS,
    )
    op.create_index(op.f("ix_servers_project_id_id"), "servers", ["project_id", "id"], unique=False)
    op.create_index(op.f("ix_servers_provider_id"), "servers", ["provider_id"], unique=False)
    op.create_index(op.f("ix_servers_reservation_id"), "servers", ["reservation_id"], unique=False)
    op.create_index(op.f("ix_servers_status"), "servers", ["status"], unique=False)
    op.create_table(
        "flavor_access",
        sa.Column("flavor_id", ROW_ID, nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.ForeignKeyConstraint(
            ["flavor_id"], ["flavors.id"], name=op.f("fk_flavor_access_flavor_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("flavor_id", "project_id", name=op.f("pk_flavor_access")),
        **MARIADB_OPTIONS,
    )
    op.create_index(op.f("ix_flavor_access_project_id"), "flavor_access", ["project_id"], unique=False)
