"""The tables of providers, inventories, traits, aggregates, consumers and claims.

``dibs.database.schema`` explains the conventions and how to change a table.
"""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    SmallInteger,
    String,
    UniqueConstraint,
)

from dibs.database.schema import ROW_ID, owned_by, row_id, table, text, time, uuid

providers = table(
    "providers",
    row_id(),
    uuid(),
    Column("name", String(255), nullable=False),
    Column("generation", BigInteger, nullable=False, server_default="0"),
    Column("parent_id", ROW_ID, ForeignKey("providers.id"), nullable=True),
    # The root of its tree. Not a foreign key: MariaDB refuses to delete a row that refers to itself, as a root does.
    Column("root_id", ROW_ID, nullable=True),
    # The bucket of its tree in structure_versions, if it is a root.
    Column("bucket", SmallInteger, nullable=False, server_default="0"),
    time("created_at", nullable=False),
    time("updated_at"),
    UniqueConstraint("uuid"),
    UniqueConstraint("name"),
    Index(None, "parent_id"),
    Index(None, "root_id"),
    Index(None, "bucket"),
)

structure_versions = table(
    "structure_versions",
    # Changes with everything that the index of candidates holds: docs/adr/0016-an-index-of-the-structure.md.
    Column("bucket", SmallInteger, primary_key=True, autoincrement=False, nullable=False),
    Column("version", BigInteger, nullable=False),
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
    # Written in the same transaction as the claims, so that no search has to add them up.
    Column("used", BigInteger, nullable=False, server_default="0"),
    time("created_at", nullable=False),
    time("updated_at"),
    CheckConstraint("used >= 0", name="used"),
    Index(None, "class_id"),
)

traits = table(
    "traits",
    # Custom traits, and the standard traits in use; the os-traits library lists the others.
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
    # As the client wrote it, because it is shown so; NULL when that is the stored form.
    Column("written", String(36), nullable=True),
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
