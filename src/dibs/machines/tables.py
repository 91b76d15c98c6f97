"""The tables of conductors, chassis, nodes, tasks, the parts of nodes, and holds.

``dibs.database.schema`` explains the conventions and how to change a table.
"""

from sqlalchemy import Column, ForeignKey, Index, Integer, SmallInteger, String, UniqueConstraint

from dibs.database.schema import ROW_ID, json, long_text, owned_by, row_id, table, text, time, truth, uuid

conductors = table(
    "conductors",
    row_id(),
    Column("hostname", String(255), nullable=False),
    Column("conductor_group", String(255), nullable=False, server_default=""),
    json("drivers", "[]"),
    # A new uuid at each start: a process whose name another one took notices at its next heartbeat or write.
    uuid("incarnation"),
    truth("online"),
    time("heartbeat_at", nullable=False),
    # Set with each heartbeat, from the time-out that each conductor announces for itself.
    time("alive_until", nullable=False),
    # The URL for calls from API processes; NULL when it accepts no calls.
    text("rpc_url"),
    time("created_at", nullable=False),
    UniqueConstraint("hostname"),
)

chassis = table(
    "chassis",
    row_id(),
    uuid(),
    text("description"),
    json("extra"),
    # Raised by whatever puts a node into the chassis: the UPDATE is the lock against deleting the chassis.
    Column("generation", Integer, nullable=False, server_default="0"),
    time("created_at", nullable=False),
    time("updated_at"),
    UniqueConstraint("uuid"),
)

INTERFACES = (
    "bios", "boot", "console", "deploy", "firmware", "inspect", "management", "network", "power", "raid", "rescue",
    "storage", "vendor",
)  # fmt: skip

nodes = table(
    "nodes",
    owned_by("id", "providers.id", primary_key=True),
    uuid(),
    text("name"),
    Column("driver", String(255), nullable=False),
    Column("conductor_id", ROW_ID, ForeignKey("conductors.id"), nullable=True),
    Column("conductor_group", String(255), nullable=False, server_default=""),
    # The name of the conductor that has the node locked for a task; NULL when none has.
    text("reservation"),
    Column("provision_state", String(20), nullable=False),
    Column("target_provision_state", String(20), nullable=True),
    time("provision_updated_at"),
    Column("power_state", String(20), nullable=True),
    Column("target_power_state", String(20), nullable=True),
    long_text("last_error"),
    truth("maintenance"),
    long_text("maintenance_reason"),
    text("fault"),
    uuid("instance_uuid", nullable=True),
    text("instance_name"),
    # When the instance leaves the node; NULL when that is not known.
    time("instance_until"),
    Column("resource_class", String(80), nullable=True),
    text("owner"),
    text("lessee"),
    text("shard"),
    uuid("parent_node", nullable=True),
    uuid("chassis_uuid", nullable=True),
    long_text("description"),
    truth("protected"),
    long_text("protected_reason"),
    truth("retired"),
    long_text("retired_reason"),
    Column("automated_clean", SmallInteger, nullable=True),
    truth("console_enabled"),
    truth("disable_power_off"),
    Column("boot_mode", String(16), nullable=True),
    Column("secure_boot", SmallInteger, nullable=True),
    text("health"),
    time("inspection_started_at"),
    time("inspection_finished_at"),
    json("driver_info"),
    json("driver_internal_info"),
    json("properties"),
    json("extra"),
    json("instance_info"),
    json("network_data"),
    json("raid_config"),
    json("target_raid_config"),
    json("clean_step"),
    json("deploy_step"),
    json("service_step"),
    *(text(f"{interface}_interface") for interface in INTERFACES),
    time("created_at", nullable=False),
    time("updated_at"),
    UniqueConstraint("uuid"),
    UniqueConstraint("name"),
    UniqueConstraint("instance_uuid"),
    Index(None, "provision_state", "id"),
    Index(None, "resource_class", "provision_state"),
    Index(None, "driver"),
    Index(None, "owner"),
    Index(None, "lessee"),
    Index(None, "shard"),
    Index(None, "parent_node"),
    Index(None, "chassis_uuid"),
    Index(None, "conductor_id"),
    Index(None, "conductor_group"),
    Index(None, "fault"),
    Index(None, "instance_name"),
)

node_tasks = table(
    "node_tasks",
    # A node has at most one task, so the node's id is the key.
    owned_by("node_id", "nodes.id", primary_key=True),
    Column("conductor_id", ROW_ID, ForeignKey("conductors.id"), nullable=False),
    # The incarnation of the conductor that runs it; NULL while it waits.
    uuid("runner", nullable=True),
    Column("work", String(40), nullable=False),
    json("arguments"),
    Column("attempts", Integer, nullable=False, server_default="0"),
    time("due_at", nullable=False),
    time("created_at", nullable=False),
    Index(None, "conductor_id", "due_at"),
)

ports = table(
    "ports",
    row_id(),
    uuid(),
    owned_by("node_id", "nodes.id"),
    Column("address", String(18), nullable=False),
    text("name"),
    # A group of the same node; both change under the lock of the node.
    uuid("portgroup_uuid", nullable=True),
    Column("pxe_enabled", SmallInteger, nullable=False, server_default="1"),
    Column("is_smartnic", SmallInteger, nullable=False, server_default="0"),
    Column("physical_network", String(64), nullable=True),
    text("description"),
    Column("vendor", String(32), nullable=True),
    text("category", 80),
    Column(
        "available_for_dynamic_portgroup",
        SmallInteger,
        nullable=False,
        server_default="1",
    ),
    json("local_link_connection"),
    json("internal_info"),
    json("extra"),
    time("created_at", nullable=False),
    time("updated_at"),
    UniqueConstraint("uuid"),
    UniqueConstraint("address"),
    UniqueConstraint("name"),
    Index(None, "node_id"),
    Index(None, "portgroup_uuid"),
)

portgroups = table(
    "portgroups",
    row_id(),
    uuid(),
    owned_by("node_id", "nodes.id"),
    Column("address", String(18), nullable=True),
    text("name"),
    Column("mode", String(255), nullable=False),
    Column("standalone_ports_supported", SmallInteger, nullable=False, server_default="1"),
    Column("physical_network", String(64), nullable=True),
    text("category", 80),
    truth("dynamic_portgroup"),
    json("properties"),
    json("internal_info"),
    json("extra"),
    time("created_at", nullable=False),
    time("updated_at"),
    UniqueConstraint("uuid"),
    UniqueConstraint("address"),
    UniqueConstraint("name"),
    Index(None, "node_id"),
)

volume_connectors = table(
    "volume_connectors",
    row_id(),
    uuid(),
    owned_by("node_id", "nodes.id"),
    Column("type", String(32), nullable=False),
    Column("connector_id", String(255), nullable=False),
    json("extra"),
    time("created_at", nullable=False),
    time("updated_at"),
    UniqueConstraint("uuid"),
    UniqueConstraint("type", "connector_id"),
    Index(None, "node_id"),
)

volume_targets = table(
    "volume_targets",
    row_id(),
    uuid(),
    owned_by("node_id", "nodes.id"),
    Column("volume_type", String(64), nullable=False),
    Column("volume_id", String(36), nullable=False),
    Column("boot_index", Integer, nullable=False),
    json("properties"),
    json("extra"),
    time("created_at", nullable=False),
    time("updated_at"),
    UniqueConstraint("uuid"),
    UniqueConstraint("node_id", "boot_index"),
)

holds = table(
    "holds",
    row_id(),
    uuid(),
    owned_by("node_id", "nodes.id"),
    uuid("instance_uuid"),
    text("project_id"),
    time("expires_at", nullable=False),
    time("created_at", nullable=False),
    time("updated_at"),
    UniqueConstraint("uuid"),
    UniqueConstraint("node_id"),
    UniqueConstraint("instance_uuid"),
    Index(None, "expires_at"),
)
