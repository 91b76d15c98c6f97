"""Every table of the ledger, one schema on every engine.

Three conventions make plain driver cursors give the same Python values everywhere (docs/adr/0003): a time is a BIGINT
of microseconds since 1970 UTC, a truth is a SMALLINT of 0 or 1, and a structured value is JSON in a TEXT column.

To change a table: edit it here, write a migration in ``migrations/versions``, and run ``tests/migrations``, which
compares the two on every engine.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.dialects import mysql

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

_MARIADB_OPTIONS: dict[str, Any] = {
    "mariadb_engine": "InnoDB",
    "mariadb_charset": "utf8mb4",
    # Names differ when their letters differ in case or they end in spaces, as on the other engines.
    "mariadb_collate": "utf8mb4_nopad_bin",
}

LONG_TEXT = Text().with_variant(mysql.LONGTEXT(), "mysql", "mariadb")
ROW_ID = BigInteger().with_variant(Integer(), "sqlite")
"""SQLite numbers rows by itself only in a column that is exactly INTEGER."""


def _table(name: str, *parts: Column[Any] | Index | UniqueConstraint | CheckConstraint) -> Table:
    return Table(name, metadata, *parts, **_MARIADB_OPTIONS)


def _id() -> Column[int]:
    return Column("id", ROW_ID, primary_key=True, autoincrement=True)


def _uuid(name: str = "uuid", *, nullable: bool = False) -> Column[str]:
    return Column(name, String(36), nullable=nullable)


def _text(name: str, length: int = 255) -> Column[str]:
    return Column(name, String(length), nullable=True)


def _long_text(name: str) -> Column[str]:
    return Column(name, LONG_TEXT, nullable=True)


def _json(name: str, empty: str = "{}") -> Column[str]:
    # MariaDB keeps defaults of TEXT columns too (10.2 and later), so every writer may leave the column out.
    return Column(name, LONG_TEXT, nullable=False, server_default=empty)


def _truth(name: str) -> Column[int]:
    return Column(name, SmallInteger, nullable=False, server_default="0")


def _time(name: str, *, nullable: bool = True) -> Column[int]:
    return Column(name, BigInteger, nullable=nullable)


def _owned_by(name: str, target: str, *, primary_key: bool = False) -> Column[int]:
    """A reference whose row goes when what it refers to goes."""
    return Column(
        name,
        ROW_ID,
        ForeignKey(target, ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
    )


# --- the ledger ---

providers = _table(
    "providers",
    _id(),
    _uuid(),
    Column("name", String(255), nullable=False),
    Column("generation", BigInteger, nullable=False, server_default="0"),
    Column("parent_id", ROW_ID, ForeignKey("providers.id"), nullable=True),
    # The root of its tree, often itself. Not a foreign key: MariaDB would not let such a row be deleted.
    Column("root_id", ROW_ID, nullable=True),
    _time("created_at", nullable=False),
    _time("updated_at"),
    UniqueConstraint("uuid"),
    UniqueConstraint("name"),
    Index(None, "parent_id"),
    Index(None, "root_id"),
)

resource_classes = _table(
    "resource_classes",
    _id(),
    Column("name", String(255), nullable=False),
    _time("created_at", nullable=False),
    _time("updated_at"),
    UniqueConstraint("name"),
)

inventories = _table(
    "inventories",
    _owned_by("provider_id", "providers.id", primary_key=True),
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
    _time("created_at", nullable=False),
    _time("updated_at"),
    CheckConstraint("used >= 0", name="used"),
    Index(None, "class_id"),
)

traits = _table(
    "traits",
    # Custom ones, and those standard ones that were ever used: the others are known from the os-traits library.
    Column("name", String(255), primary_key=True, nullable=False),
    _time("created_at", nullable=False),
)

provider_traits = _table(
    "provider_traits",
    _owned_by("provider_id", "providers.id", primary_key=True),
    Column("trait", String(255), ForeignKey("traits.name"), primary_key=True, nullable=False),
    Index(None, "trait", "provider_id"),
)

provider_aggregates = _table(
    "provider_aggregates",
    _owned_by("provider_id", "providers.id", primary_key=True),
    Column("aggregate", String(36), primary_key=True, nullable=False),
    Index(None, "aggregate", "provider_id"),
)

consumers = _table(
    "consumers",
    _id(),
    _uuid(),
    Column("generation", BigInteger, nullable=False, server_default="0"),
    _text("project_id"),
    _text("user_id"),
    _text("consumer_type"),
    _time("created_at", nullable=False),
    _time("updated_at"),
    UniqueConstraint("uuid"),
    Index(None, "project_id", "user_id"),
)

claims = _table(
    "claims",
    _owned_by("consumer_id", "consumers.id", primary_key=True),
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
    _time("created_at", nullable=False),
    CheckConstraint("amount > 0", name="amount"),
    Index(None, "provider_id", "class_id"),
    Index(None, "class_id"),
)

# --- conductors and machines ---

conductors = _table(
    "conductors",
    _id(),
    Column("hostname", String(255), nullable=False),
    Column("conductor_group", String(255), nullable=False, server_default=""),
    _json("drivers", "[]"),
    # Made anew at each start: a process that lost its name to a newer one finds out at its next beat or write.
    _uuid("incarnation"),
    _truth("online"),
    _time("beat_at", nullable=False),
    # Set with each beat: each conductor says for itself how long it may be silent.
    _time("alive_until", nullable=False),
    # Where it takes calls from API processes; NULL when it takes none.
    _text("rpc_url"),
    _time("created_at", nullable=False),
    UniqueConstraint("hostname"),
)

INTERFACES = (
    "bios", "boot", "console", "deploy", "firmware", "inspect", "management", "network", "power", "raid", "rescue",
    "storage", "vendor",
)  # fmt: skip

nodes = _table(
    "nodes",
    _owned_by("id", "providers.id", primary_key=True),
    _uuid(),
    _text("name"),
    Column("driver", String(255), nullable=False),
    Column("conductor_id", ROW_ID, ForeignKey("conductors.id"), nullable=True),
    Column("conductor_group", String(255), nullable=False, server_default=""),
    # The name of the conductor that works on the node just now; NULL when nobody does.
    _text("reservation"),
    Column("provision_state", String(20), nullable=False),
    Column("target_provision_state", String(20), nullable=True),
    _time("provision_updated_at"),
    Column("power_state", String(20), nullable=True),
    Column("target_power_state", String(20), nullable=True),
    _long_text("last_error"),
    _truth("maintenance"),
    _long_text("maintenance_reason"),
    _text("fault"),
    _uuid("instance_uuid", nullable=True),
    _text("instance_name"),
    Column("resource_class", String(80), nullable=True),
    _text("owner"),
    _text("lessee"),
    _text("shard"),
    _uuid("parent_node", nullable=True),
    _long_text("description"),
    _truth("protected"),
    _long_text("protected_reason"),
    _truth("retired"),
    _long_text("retired_reason"),
    Column("automated_clean", SmallInteger, nullable=True),
    _truth("console_enabled"),
    _truth("disable_power_off"),
    Column("boot_mode", String(16), nullable=True),
    Column("secure_boot", SmallInteger, nullable=True),
    _text("health"),
    _time("inspection_started_at"),
    _time("inspection_finished_at"),
    _json("driver_info"),
    _json("driver_internal_info"),
    _json("properties"),
    _json("extra"),
    _json("instance_info"),
    _json("network_data"),
    _json("raid_config"),
    _json("target_raid_config"),
    _json("clean_step"),
    _json("deploy_step"),
    _json("service_step"),
    *(_text(f"{interface}_interface") for interface in INTERFACES),
    _time("created_at", nullable=False),
    _time("updated_at"),
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

node_tasks = _table(
    "node_tasks",
    # A node has at most one piece of work at a time, which is also why the node's id can be the key.
    _owned_by("node_id", "nodes.id", primary_key=True),
    Column("conductor_id", ROW_ID, ForeignKey("conductors.id"), nullable=False),
    # The incarnation of the conductor that runs it just now; NULL while it waits for one.
    _uuid("runner", nullable=True),
    Column("work", String(40), nullable=False),
    _json("arguments"),
    Column("attempts", Integer, nullable=False, server_default="0"),
    _time("due_at", nullable=False),
    _time("created_at", nullable=False),
    Index(None, "conductor_id", "due_at"),
)

ports = _table(
    "ports",
    _id(),
    _uuid(),
    _owned_by("node_id", "nodes.id"),
    Column("address", String(18), nullable=False),
    _text("name"),
    Column("pxe_enabled", SmallInteger, nullable=False, server_default="1"),
    Column("is_smartnic", SmallInteger, nullable=False, server_default="0"),
    Column("physical_network", String(64), nullable=True),
    _text("description"),
    Column("vendor", String(32), nullable=True),
    _text("category", 80),
    Column(
        "available_for_dynamic_portgroup",
        SmallInteger,
        nullable=False,
        server_default="1",
    ),
    _json("local_link_connection"),
    _json("internal_info"),
    _json("extra"),
    _time("created_at", nullable=False),
    _time("updated_at"),
    UniqueConstraint("uuid"),
    UniqueConstraint("address"),
    UniqueConstraint("name"),
    Index(None, "node_id"),
)

# --- who asked for a machine ---

node_requests = _table(
    "node_requests",
    _id(),
    _uuid(),
    _text("name"),
    Column("state", String(15), nullable=False),
    Column("resource_class", String(80), nullable=True),
    # Lists of names and uuids: what was asked for, never searched.
    _json("traits", "[]"),
    _json("candidate_nodes", "[]"),
    _json("extra"),
    _text("owner"),
    _long_text("last_error"),
    # The node that it has; gone with the node.
    Column("node_id", ROW_ID, ForeignKey("nodes.id", ondelete="CASCADE"), nullable=True),
    # Which conductor is to find the node; a compare-and-set on it is how another one takes over.
    Column("conductor_id", ROW_ID, ForeignKey("conductors.id"), nullable=True),
    # A request that would rather wait than fail, until then.
    _time("wait_until"),
    _truth("sticky"),
    # Requests that are served together or not at all share this.
    _uuid("batch", nullable=True),
    _time("created_at", nullable=False),
    _time("updated_at"),
    UniqueConstraint("uuid"),
    UniqueConstraint("name"),
    UniqueConstraint("node_id"),
    Index(None, "state", "conductor_id"),
    Index(None, "state", "resource_class"),
    Index(None, "resource_class"),
    Index(None, "owner"),
    Index(None, "batch"),
)

holds = _table(
    "holds",
    _id(),
    _uuid(),
    _owned_by("node_id", "nodes.id"),
    _uuid("instance_uuid"),
    _text("project_id"),
    _time("expires_at", nullable=False),
    _time("created_at", nullable=False),
    _time("updated_at"),
    UniqueConstraint("uuid"),
    UniqueConstraint("node_id"),
    UniqueConstraint("instance_uuid"),
    Index(None, "expires_at"),
)
