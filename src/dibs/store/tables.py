"""Every table of the ledger, one schema on every engine.

Three conventions make plain driver cursors give the same Python values everywhere (docs/adr/0003): a time is a BIGINT
of microseconds since 1970 UTC, a truth is a SMALLINT of 0 or 1, and a structured value is JSON in a TEXT column.

To change a table: edit it here, write a migration in ``migrations/versions``, and run ``tests/migrations``, which
compares the two on every engine.
"""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    SmallInteger,
    String,
    UniqueConstraint,
)

from dibs.store.schema import ROW_ID, json, long_text, owned_by, row_id, table, text, time, truth, uuid

# --- the ledger ---

providers = table(
    "providers",
    row_id(),
    uuid(),
    Column("name", String(255), nullable=False),
    Column("generation", BigInteger, nullable=False, server_default="0"),
    Column("parent_id", ROW_ID, ForeignKey("providers.id"), nullable=True),
    # The root of its tree, often itself. Not a foreign key: MariaDB would not let such a row be deleted.
    Column("root_id", ROW_ID, nullable=True),
    time("created_at", nullable=False),
    time("updated_at"),
    UniqueConstraint("uuid"),
    UniqueConstraint("name"),
    Index(None, "parent_id"),
    Index(None, "root_id"),
)

resource_classes = table(
    "resource_classes",
    row_id(),
    Column("name", String(255), nullable=False),
    time("created_at", nullable=False),
    time("updated_at"),
    UniqueConstraint("name"),
)

inventories = table(
    "inventories",
    owned_by("provider_id", "providers.id", primary_key=True),
    Column(
        "class_id",
        ROW_ID,
        ForeignKey("resource_classes.id"),
        primary_key=True,
        nullable=False,
    ),
    Column("total", BigInteger, nullable=False),
    Column("reserved", BigInteger, nullable=False, server_default="0"),
    Column("min_unit", BigInteger, nullable=False, server_default="1"),
    Column("max_unit", BigInteger, nullable=False, server_default="1"),
    Column("step_size", BigInteger, nullable=False, server_default="1"),
    Column("allocation_ratio", Double, nullable=False, server_default="1"),
    # Kept in the same transaction as the claims, so that finding room never has to add them up.
    Column("used", BigInteger, nullable=False, server_default="0"),
    time("created_at", nullable=False),
    time("updated_at"),
    CheckConstraint("used >= 0", name="used"),
    Index(None, "class_id"),
)

traits = table(
    "traits",
    # Custom ones, and those standard ones that were ever used: the others are known from the os-traits library.
    Column("name", String(255), primary_key=True, nullable=False),
    time("created_at", nullable=False),
)

provider_traits = table(
    "provider_traits",
    owned_by("provider_id", "providers.id", primary_key=True),
    Column("trait", String(255), ForeignKey("traits.name"), primary_key=True, nullable=False),
    Index(None, "trait", "provider_id"),
)

provider_aggregates = table(
    "provider_aggregates",
    owned_by("provider_id", "providers.id", primary_key=True),
    Column("aggregate", String(36), primary_key=True, nullable=False),
    Index(None, "aggregate", "provider_id"),
)

consumers = table(
    "consumers",
    row_id(),
    uuid(),
    Column("generation", BigInteger, nullable=False, server_default="0"),
    text("project_id"),
    text("user_id"),
    text("consumer_type"),
    time("created_at", nullable=False),
    time("updated_at"),
    UniqueConstraint("uuid"),
    Index(None, "project_id", "user_id"),
)

claims = table(
    "claims",
    owned_by("consumer_id", "consumers.id", primary_key=True),
    Column(
        "provider_id",
        ROW_ID,
        ForeignKey("providers.id"),
        primary_key=True,
        nullable=False,
    ),
    Column(
        "class_id",
        ROW_ID,
        ForeignKey("resource_classes.id"),
        primary_key=True,
        nullable=False,
    ),
    Column("amount", BigInteger, nullable=False),
    time("created_at", nullable=False),
    CheckConstraint("amount > 0", name="amount"),
    Index(None, "provider_id", "class_id"),
    Index(None, "class_id"),
)

# --- conductors and machines ---

conductors = table(
    "conductors",
    row_id(),
    Column("hostname", String(255), nullable=False),
    Column("conductor_group", String(255), nullable=False, server_default=""),
    json("drivers", "[]"),
    # Made anew at each start: a process that lost its name to a newer one finds out at its next beat or write.
    uuid("incarnation"),
    truth("online"),
    time("beat_at", nullable=False),
    # Set with each beat: each conductor says for itself how long it may be silent.
    time("alive_until", nullable=False),
    # Where it takes calls from API processes; NULL when it takes none.
    text("rpc_url"),
    time("created_at", nullable=False),
    UniqueConstraint("hostname"),
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
    # The name of the conductor that works on the node just now; NULL when nobody does.
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
    Column("resource_class", String(80), nullable=True),
    text("owner"),
    text("lessee"),
    text("shard"),
    uuid("parent_node", nullable=True),
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
    Index(None, "conductor_id"),
    Index(None, "conductor_group"),
    Index(None, "fault"),
    Index(None, "instance_name"),
)

node_tasks = table(
    "node_tasks",
    # A node has at most one piece of work at a time, which is also why the node's id can be the key.
    owned_by("node_id", "nodes.id", primary_key=True),
    Column("conductor_id", ROW_ID, ForeignKey("conductors.id"), nullable=False),
    # The incarnation of the conductor that runs it just now; NULL while it waits for one.
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
)

# --- who asked for a machine ---

node_requests = table(
    "node_requests",
    row_id(),
    uuid(),
    text("name"),
    Column("state", String(15), nullable=False),
    Column("resource_class", String(80), nullable=True),
    # Lists of names and uuids: what was asked for, never searched.
    json("traits", "[]"),
    json("candidate_nodes", "[]"),
    json("extra"),
    text("owner"),
    long_text("last_error"),
    # The node that it has; gone with the node.
    Column("node_id", ROW_ID, ForeignKey("nodes.id", ondelete="CASCADE"), nullable=True),
    # Which conductor is to find the node; a compare-and-set on it is how another one takes over.
    Column("conductor_id", ROW_ID, ForeignKey("conductors.id"), nullable=True),
    # A request that would rather wait than fail, until then.
    time("wait_until"),
    truth("sticky"),
    # Requests that are served together or not at all share this.
    uuid("batch", nullable=True),
    time("created_at", nullable=False),
    time("updated_at"),
    UniqueConstraint("uuid"),
    UniqueConstraint("name"),
    UniqueConstraint("node_id"),
    Index(None, "state", "conductor_id"),
    Index(None, "state", "resource_class"),
    Index(None, "resource_class"),
    Index(None, "owner"),
    Index(None, "batch"),
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
