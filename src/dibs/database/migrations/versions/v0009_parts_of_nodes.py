"""Add chassis, port groups, volume connectors and volume targets."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0009"
down_revision = "0008"

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
LONG_TEXT = sa.Text().with_variant(mysql.LONGTEXT(), "mysql", "mariadb")
MARIADB_OPTIONS: dict[str, Any] = {
    "mariadb_engine": "InnoDB",
    "mariadb_charset": "utf8mb4",
    "mariadb_collate": "utf8mb4_nopad_bin",
}


def upgrade() -> None:
    op.create_table(
        "chassis",
        *_identity(),
        sa.Column("description", sa.String(length=255), nullable=True),
        _json("extra"),
        sa.Column("generation", sa.Integer(), server_default="0", nullable=False),
        *_times(),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chassis")),
        sa.UniqueConstraint("uuid", name=op.f("uq_chassis_uuid")),
        **MARIADB_OPTIONS,
    )
    for table, column in (("nodes", "chassis_uuid"), ("ports", "portgroup_uuid")):
        op.add_column(table, sa.Column(column, sa.String(length=36), nullable=True))
        op.create_index(op.f(f"ix_{table}_{column}"), table, [column])
    _create_part(
        "portgroups",
        sa.Column("address", sa.String(length=18), nullable=True),
        sa.Column("name", sa.String(length=255), nullable=True),
        sa.Column("mode", sa.String(length=255), nullable=False),
        sa.Column("standalone_ports_supported", sa.SmallInteger(), server_default="1", nullable=False),
        sa.Column("physical_network", sa.String(length=64), nullable=True),
        sa.Column("category", sa.String(length=80), nullable=True),
        sa.Column("dynamic_portgroup", sa.SmallInteger(), server_default="0", nullable=False),
        _json("properties"),
        _json("internal_info"),
        sa.UniqueConstraint("address", name=op.f("uq_portgroups_address")),
        sa.UniqueConstraint("name", name=op.f("uq_portgroups_name")),
    )
    op.create_index(op.f("ix_portgroups_node_id"), "portgroups", ["node_id"])
    _create_part(
        "volume_connectors",
        sa.Column("type", sa.String(length=32), nullable=False),
        sa.Column("connector_id", sa.String(length=255), nullable=False),
        sa.UniqueConstraint("type", "connector_id", name=op.f("uq_volume_connectors_type_connector_id")),
    )
    op.create_index(op.f("ix_volume_connectors_node_id"), "volume_connectors", ["node_id"])
    _create_part(
        "volume_targets",
        sa.Column("volume_type", sa.String(length=64), nullable=False),
        sa.Column("volume_id", sa.String(length=36), nullable=False),
        sa.Column("boot_index", sa.Integer(), nullable=False),
        _json("properties"),
        sa.UniqueConstraint("node_id", "boot_index", name=op.f("uq_volume_targets_node_id_boot_index")),
    )


def _create_part(name: str, *columns: Any) -> None:
    """Create a table of parts of nodes, with what all of them have."""
    op.create_table(
        name,
        *_identity(),
        sa.Column("node_id", ROW_ID, nullable=False),
        *columns,
        _json("extra"),
        *_times(),
        sa.ForeignKeyConstraint(["node_id"], ["nodes.id"], name=op.f(f"fk_{name}_node_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{name}")),
        sa.UniqueConstraint("uuid", name=op.f(f"uq_{name}_uuid")),
        **MARIADB_OPTIONS,
    )


def _identity() -> tuple[Any, ...]:
    return (
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("uuid", sa.String(length=36), nullable=False),
    )


def _times() -> tuple[Any, ...]:
    return (
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=True),
    )


def _json(name: str) -> sa.Column[str]:
    return sa.Column(name, LONG_TEXT, server_default="{}", nullable=False)
