"""Used amounts: of a provider from its inventories, of a project from the claims of its consumers."""

from collections import defaultdict

from msgspec import Struct
from sqlalchemy import bindparam, func, select

from dibs.database.transaction import Transaction
from dibs.ledger.tables import claims, consumers, inventories, resource_classes

_OF_PROVIDER = (
    select(resource_classes.c.name, inventories.c.used)
    .join(resource_classes, resource_classes.c.id == inventories.c.class_id)
    .where(inventories.c.provider_id == bindparam("of_id"))
    .order_by(resource_classes.c.name)
)
_SUMS = (
    select(consumers.c.consumer_type, resource_classes.c.name, func.sum(claims.c.amount).label("used"))
    .join(consumers, consumers.c.id == claims.c.consumer_id)
    .join(resource_classes, resource_classes.c.id == claims.c.class_id)
    .where(consumers.c.project_id == bindparam("project"))
    .group_by(consumers.c.consumer_type, resource_classes.c.name)
)
# A consumer without claims has no row, so the number of rows is the number of consumers with claims.
_COUNTS = (
    select(consumers.c.consumer_type, func.count().label("count"))
    .where(consumers.c.project_id == bindparam("project"))
    .group_by(consumers.c.consumer_type)
)
_OF_USER = consumers.c.user_id == bindparam("user")
_SUMS_OF_USER = _SUMS.where(_OF_USER)
_COUNTS_OF_USER = _COUNTS.where(_OF_USER)


class ProjectUsage(Struct, frozen=True, kw_only=True):
    """The amounts and the number of consumers of a project, by consumer type; None for consumers without a type."""

    used: dict[str | None, dict[str, int]]
    consumers: dict[str | None, int]


def of_provider(tx: Transaction, provider_id: int) -> dict[str, int]:
    """Return the used amount of each resource class of a provider."""
    return {row["name"]: row["used"] for row in tx.rows(_OF_PROVIDER, {"of_id": provider_id})}


def of_project(tx: Transaction, project: str, user: str | None) -> ProjectUsage:
    """Return what the consumers of a project, or of one of its users, have claimed."""
    parameters = {"project": project} if user is None else {"project": project, "user": user}
    used: dict[str | None, dict[str, int]] = defaultdict(dict)
    for row in tx.rows(_SUMS if user is None else _SUMS_OF_USER, parameters):
        # PostgreSQL and MariaDB return the sum of BIGINT values as a decimal.
        used[row["consumer_type"]][row["name"]] = int(row["used"])
    counts = tx.rows(_COUNTS if user is None else _COUNTS_OF_USER, parameters)
    return ProjectUsage(used=dict(used), consumers={row["consumer_type"]: row["count"] for row in counts})
