"""The ledger and the machines: providers, inventories, traits, claims; conductors, nodes, their work, ports."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0001"
down_revision = None

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
LONG_TEXT = sa.Text().with_variant(mysql.LONGTEXT(), "mysql", "mariadb")
MARIADB_OPTIONS: dict[str, Any] = {
    "mariadb_engine": "InnoDB",
    "mariadb_charset": "utf8mb4",
    "mariadb_collate": "utf8mb4_nopad_bin",
}


def upgrade() -> None:
    op.create_table(
        "conductors",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("hostname", sa.String(length=255), nullable=False),
        sa.Column("conductor_group", sa.String(length=255), server_default="", nullable=False),
        sa.Column("drivers", LONG_TEXT, server_default="[]", nullable=False),
        sa.Column("incarnation", sa.String(length=36), nullable=False),
        sa.Column("online", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("beat_at", sa.BigInteger(), nullable=False),
        sa.Column("alive_until", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conductors")),
        sa.UniqueConstraint("hostname", name=op.f("uq_conductors_hostname")),
        **MARIADB_OPTIONS,
    )
    op.create_table(
        "consumers",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("uuid", sa.String(length=36), nullable=False),
        sa.Column("generation", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=True),
        sa.Column("user_id", sa.String(length=255), nullable=True),
        sa.Column("consumer_type", sa.String(length=255), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_consumers")),
        sa.UniqueConstraint("uuid", name=op.f("uq_consumers_uuid")),
        **MARIADB_OPTIONS,
    )
    op.create_index(op.f("ix_consumers_project_id_user_id"), "consumers", ["project_id", "user_id"], unique=False)
    op.create_table(
        "providers",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("uuid", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("generation", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("parent_id", ROW_ID, nullable=True),
        sa.Column("root_id", ROW_ID, nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["parent_id"], ["providers.id"], name=op.f("fk_providers_parent_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_providers")),
        sa.UniqueConstraint("name", name=op.f("uq_providers_name")),
        sa.UniqueConstraint("uuid", name=op.f("uq_providers_uuid")),
        **MARIADB_OPTIONS,
    )
    op.create_index(op.f("ix_providers_parent_id"), "providers", ["parent_id"], unique=False)
    op.create_index(op.f("ix_providers_root_id"), "providers", ["root_id"], unique=False)
    op.create_table(
        "resource_classes",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_resource_classes")),
        sa.UniqueConstraint("name", name=op.f("uq_resource_classes_name")),
        **MARIADB_OPTIONS,
    )
    op.create_table(
        "traits",
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_traits")),
        **MARIADB_OPTIONS,
    )
    op.create_table(
        "claims",
        sa.Column("consumer_id", ROW_ID, nullable=False),
        sa.Column("provider_id", ROW_ID, nullable=False),
        sa.Column("class_id", ROW_ID, nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("amount > 0", name=op.f("ck_claims_amount")),
        sa.ForeignKeyConstraint(["class_id"], ["resource_classes.id"], name=op.f("fk_claims_class_id")),
        sa.ForeignKeyConstraint(
            ["consumer_id"], ["consumers.id"], name=op.f("fk_claims_consumer_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["provider_id"], ["providers.id"], name=op.f("fk_claims_provider_id")),
        sa.PrimaryKeyConstraint("consumer_id", "provider_id", "class_id", name=op.f("pk_claims")),
        **MARIADB_OPTIONS,
    )
    op.create_index(op.f("ix_claims_class_id"), "claims", ["class_id"], unique=False)
    op.create_index(op.f("ix_claims_provider_id_class_id"), "claims", ["provider_id", "class_id"], unique=False)
    op.create_table(
        "inventories",
        sa.Column("provider_id", ROW_ID, nullable=False),
        sa.Column("class_id", ROW_ID, nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.Column("reserved", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("min_unit", sa.BigInteger(), server_default="1", nullable=False),
        sa.Column("max_unit", sa.BigInteger(), server_default="1", nullable=False),
        sa.Column("step_size", sa.BigInteger(), server_default="1", nullable=False),
        sa.Column("allocation_ratio", sa.Double(), server_default="1", nullable=False),
        sa.Column("used", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("used >= 0", name=op.f("ck_inventories_used")),
        sa.ForeignKeyConstraint(["class_id"], ["resource_classes.id"], name=op.f("fk_inventories_class_id")),
        sa.ForeignKeyConstraint(
            ["provider_id"], ["providers.id"], name=op.f("fk_inventories_provider_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("provider_id", "class_id", name=op.f("pk_inventories")),
        **MARIADB_OPTIONS,
    )
    op.create_index(op.f("ix_inventories_class_id"), "inventories", ["class_id"], unique=False)
    op.create_table(
        "nodes",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("uuid", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=True),
        sa.Column("driver", sa.String(length=255), nullable=False),
        sa.Column("conductor_id", ROW_ID, nullable=True),
        sa.Column("conductor_group", sa.String(length=255), server_default="", nullable=False),
        sa.Column("reservation", sa.String(length=255), nullable=True),
        sa.Column("provision_state", sa.String(length=20), nullable=False),
        sa.Column("target_provision_state", sa.String(length=20), nullable=True),
        sa.Column("provision_updated_at", sa.BigInteger(), nullable=True),
        sa.Column("power_state", sa.String(length=20), nullable=True),
        sa.Column("target_power_state", sa.String(length=20), nullable=True),
        sa.Column("last_error", LONG_TEXT, nullable=True),
        sa.Column("maintenance", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("maintenance_reason", LONG_TEXT, nullable=True),
        sa.Column("fault", sa.String(length=255), nullable=True),
        sa.Column("instance_uuid", sa.String(length=36), nullable=True),
        sa.Column("instance_name", sa.String(length=255), nullable=True),
        sa.Column("resource_class", sa.String(length=80), nullable=True),
        sa.Column("owner", sa.String(length=255), nullable=True),
        sa.Column("lessee", sa.String(length=255), nullable=True),
        sa.Column("shard", sa.String(length=255), nullable=True),
        sa.Column("parent_node", sa.String(length=36), nullable=True),
        sa.Column("description", LONG_TEXT, nullable=True),
        sa.Column("protected", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("protected_reason", LONG_TEXT, nullable=True),
        sa.Column("retired", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("retired_reason", LONG_TEXT, nullable=True),
        sa.Column("automated_clean", sa.SmallInteger(), nullable=True),
        sa.Column("console_enabled", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("disable_power_off", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("boot_mode", sa.String(length=16), nullable=True),
        sa.Column("secure_boot", sa.SmallInteger(), nullable=True),
        sa.Column("health", sa.String(length=255), nullable=True),
        sa.Column("inspection_started_at", sa.BigInteger(), nullable=True),
        sa.Column("inspection_finished_at", sa.BigInteger(), nullable=True),
        sa.Column("driver_info", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("driver_internal_info", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("properties", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("extra", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("instance_info", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("network_data", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("raid_config", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("target_raid_config", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("clean_step", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("deploy_step", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("service_step", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("bios_interface", sa.String(length=255), nullable=True),
        sa.Column("boot_interface", sa.String(length=255), nullable=True),
        sa.Column("console_interface", sa.String(length=255), nullable=True),
        sa.Column("deploy_interface", sa.String(length=255), nullable=True),
        sa.Column("firmware_interface", sa.String(length=255), nullable=True),
        sa.Column("inspect_interface", sa.String(length=255), nullable=True),
        sa.Column("management_interface", sa.String(length=255), nullable=True),
        sa.Column("network_interface", sa.String(length=255), nullable=True),
        sa.Column("power_interface", sa.String(length=255), nullable=True),
        sa.Column("raid_interface", sa.String(length=255), nullable=True),
        sa.Column("rescue_interface", sa.String(length=255), nullable=True),
        sa.Column("storage_interface", sa.String(length=255), nullable=True),
        sa.Column("vendor_interface", sa.String(length=255), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["conductor_id"], ["conductors.id"], name=op.f("fk_nodes_conductor_id")),
        sa.ForeignKeyConstraint(["id"], ["providers.id"], name=op.f("fk_nodes_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_nodes")),
        sa.UniqueConstraint("instance_uuid", name=op.f("uq_nodes_instance_uuid")),
        sa.UniqueConstraint("name", name=op.f("uq_nodes_name")),
        sa.UniqueConstraint("uuid", name=op.f("uq_nodes_uuid")),
        **MARIADB_OPTIONS,
    )
    op.create_index(op.f("ix_nodes_conductor_group"), "nodes", ["conductor_group"], unique=False)
    op.create_index(op.f("ix_nodes_conductor_id"), "nodes", ["conductor_id"], unique=False)
    op.create_index(op.f("ix_nodes_driver"), "nodes", ["driver"], unique=False)
    op.create_index(op.f("ix_nodes_fault"), "nodes", ["fault"], unique=False)
    op.create_index(op.f("ix_nodes_instance_name"), "nodes", ["instance_name"], unique=False)
    op.create_index(op.f("ix_nodes_lessee"), "nodes", ["lessee"], unique=False)
    op.create_index(op.f("ix_nodes_owner"), "nodes", ["owner"], unique=False)
    op.create_index(op.f("ix_nodes_parent_node"), "nodes", ["parent_node"], unique=False)
    op.create_index(op.f("ix_nodes_provision_state_id"), "nodes", ["provision_state", "id"], unique=False)
    op.create_index(
        op.f("ix_nodes_resource_class_provision_state"), "nodes", ["resource_class", "provision_state"], unique=False
    )
    op.create_index(op.f("ix_nodes_shard"), "nodes", ["shard"], unique=False)
    op.create_table(
        "provider_aggregates",
        sa.Column("provider_id", ROW_ID, nullable=False),
        sa.Column("aggregate", sa.String(length=36), nullable=False),
        sa.ForeignKeyConstraint(
            ["provider_id"], ["providers.id"], name=op.f("fk_provider_aggregates_provider_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("provider_id", "aggregate", name=op.f("pk_provider_aggregates")),
        **MARIADB_OPTIONS,
    )
    op.create_index(
        op.f("ix_provider_aggregates_aggregate_provider_id"),
        "provider_aggregates",
        ["aggregate", "provider_id"],
        unique=False,
    )
    op.create_table(
        "provider_traits",
        sa.Column("provider_id", ROW_ID, nullable=False),
        sa.Column("trait", sa.String(length=255), nullable=False),
        sa.ForeignKeyConstraint(
            ["provider_id"], ["providers.id"], name=op.f("fk_provider_traits_provider_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["trait"], ["traits.name"], name=op.f("fk_provider_traits_trait")),
        sa.PrimaryKeyConstraint("provider_id", "trait", name=op.f("pk_provider_traits")),
        **MARIADB_OPTIONS,
    )
    op.create_index(
        op.f("ix_provider_traits_trait_provider_id"), "provider_traits", ["trait", "provider_id"], unique=False
    )
    op.create_table(
        "node_tasks",
        sa.Column("node_id", ROW_ID, nullable=False),
        sa.Column("conductor_id", ROW_ID, nullable=False),
        sa.Column("runner", sa.String(length=36), nullable=True),
        sa.Column("work", sa.String(length=40), nullable=False),
        sa.Column("arguments", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["conductor_id"], ["conductors.id"], name=op.f("fk_node_tasks_conductor_id")),
        sa.ForeignKeyConstraint(["node_id"], ["nodes.id"], name=op.f("fk_node_tasks_node_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("node_id", name=op.f("pk_node_tasks")),
        **MARIADB_OPTIONS,
    )
    op.create_index(op.f("ix_node_tasks_conductor_id_due_at"), "node_tasks", ["conductor_id", "due_at"], unique=False)
    op.create_table(
        "ports",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("uuid", sa.String(length=36), nullable=False),
        sa.Column("node_id", ROW_ID, nullable=False),
        sa.Column("address", sa.String(length=18), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=True),
        sa.Column("pxe_enabled", sa.SmallInteger(), server_default="1", nullable=False),
        sa.Column("is_smartnic", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("physical_network", sa.String(length=64), nullable=True),
        sa.Column("description", sa.String(length=255), nullable=True),
        sa.Column("vendor", sa.String(length=32), nullable=True),
        sa.Column("category", sa.String(length=80), nullable=True),
        sa.Column("available_for_dynamic_portgroup", sa.SmallInteger(), server_default="1", nullable=False),
        sa.Column("local_link_connection", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("internal_info", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("extra", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["node_id"], ["nodes.id"], name=op.f("fk_ports_node_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ports")),
        sa.UniqueConstraint("address", name=op.f("uq_ports_address")),
        sa.UniqueConstraint("name", name=op.f("uq_ports_name")),
        sa.UniqueConstraint("uuid", name=op.f("uq_ports_uuid")),
        **MARIADB_OPTIONS,
    )
    op.create_index(op.f("ix_ports_node_id"), "ports", ["node_id"], unique=False)
