"""The tables of flavors and of access to them.

``dibs.database.schema`` explains the conventions and how to change a table.
"""

from sqlalchemy import BigInteger, Column, Double, ForeignKey, Index, String, UniqueConstraint

from dibs.database.schema import ROW_ID, json, long_text, owned_by, row_id, table, time, truth

flavors = table(
    "flavors",
    row_id(),
    # The id that clients use: any string.
    Column("flavor", String(255), nullable=False),
    Column("name", String(255), nullable=False),
    long_text("description"),
    Column("vcpus", BigInteger, nullable=False),
    Column("memory_mb", BigInteger, nullable=False),
    Column("disk_gb", BigInteger, nullable=False),
    Column("ephemeral_gb", BigInteger, nullable=False, server_default="0"),
    Column("swap_mb", BigInteger, nullable=False, server_default="0"),
    Column("rxtx_factor", Double, nullable=False, server_default="1"),
    truth("public"),
    json("extra_specs"),
    # The reservation that created the flavor; both are deleted together.
    Column("reservation_id", ROW_ID, ForeignKey("lease_reservations.id", ondelete="CASCADE"), nullable=True),
    time("created_at", nullable=False),
    time("updated_at"),
    UniqueConstraint("flavor"),
    UniqueConstraint("name"),
    UniqueConstraint("reservation_id"),
)

flavor_access = table(
    "flavor_access",
    owned_by("flavor_id", "flavors.id", primary_key=True),
    Column("project_id", String(255), primary_key=True, nullable=False),
    Index(None, "project_id"),
)
