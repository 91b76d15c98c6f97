"""Find rows of the ledger that break its laws."""

from sqlalchemy import func, or_, select

from dibs.database.laws import Page, pages_of, within
from dibs.database.transaction import Row, Transaction
from dibs.ledger.tables import claims, consumers, inventories, providers, resource_classes

providers_page = pages_of(providers.c.id)
consumers_page = pages_of(consumers.c.id)

_CLAIMED = (
    select(claims.c.provider_id, claims.c.class_id, func.sum(claims.c.amount).label("claimed"))
    .where(within(claims.c.provider_id))
    .group_by(claims.c.provider_id, claims.c.class_id)
    .subquery()
)
_WRONG_USED = (
    select(
        providers.c.uuid.label("provider"),
        resource_classes.c.name.label("resource_class"),
        inventories.c.used,
        func.coalesce(_CLAIMED.c.claimed, 0).label("claimed"),
    )
    .select_from(inventories)
    .join(providers, providers.c.id == inventories.c.provider_id)
    .join(resource_classes, resource_classes.c.id == inventories.c.class_id)
    .outerjoin(
        _CLAIMED,
        (_CLAIMED.c.provider_id == inventories.c.provider_id) & (_CLAIMED.c.class_id == inventories.c.class_id),
    )
    .where(within(inventories.c.provider_id), inventories.c.used != func.coalesce(_CLAIMED.c.claimed, 0))
)
_WITHOUT_INVENTORY = (
    select(
        providers.c.uuid.label("provider"),
        resource_classes.c.name.label("resource_class"),
        consumers.c.uuid.label("consumer"),
    )
    .select_from(claims)
    .join(providers, providers.c.id == claims.c.provider_id)
    .join(resource_classes, resource_classes.c.id == claims.c.class_id)
    .join(consumers, consumers.c.id == claims.c.consumer_id)
    .outerjoin(
        inventories,
        (inventories.c.provider_id == claims.c.provider_id) & (inventories.c.class_id == claims.c.class_id),
    )
    .where(within(claims.c.provider_id), inventories.c.provider_id.is_(None))
)
_IDLE = (
    select(consumers.c.uuid)
    .outerjoin(claims, claims.c.consumer_id == consumers.c.id)
    .where(within(consumers.c.id), claims.c.consumer_id.is_(None))
)
_PARENT = providers.alias("parent")
_WRONG_ROOT = (
    select(providers.c.uuid)
    .outerjoin(_PARENT, _PARENT.c.id == providers.c.parent_id)
    .where(within(providers.c.id))
    .where(
        or_(
            providers.c.root_id.is_(None),
            providers.c.root_id != func.coalesce(_PARENT.c.root_id, providers.c.id),
        )
    )
)


def wrong_used_amounts(tx: Transaction, page: Page) -> list[Row]:
    """Return the inventories of providers whose used amount differs from the sum of their claims."""
    return tx.rows(_WRONG_USED, page.binds)


def claims_without_inventory(tx: Transaction, page: Page) -> list[Row]:
    """Return the claims on providers that have no inventory of the class."""
    return tx.rows(_WITHOUT_INVENTORY, page.binds)


def idle_consumers(tx: Transaction, page: Page) -> list[str]:
    """Return the consumers without a claim."""
    return tx.values(_IDLE, page.binds)


def wrong_roots(tx: Transaction, page: Page) -> list[str]:
    """Return the providers whose root is not the root of their parent, or not themselves without a parent."""
    return tx.values(_WRONG_ROOT, page.binds)
