"""Reads of claims, with the names of provider, resource class and consumer."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, bindparam, select

from dibs.database import sets
from dibs.database.transaction import Row, Transaction
from dibs.ledger.tables import claims, consumers, providers, resource_classes

_SHOWN = (
    select(
        providers.c.uuid.label("provider"),
        providers.c.generation.label("provider_generation"),
        resource_classes.c.name.label("resource_class"),
        claims.c.amount,
        claims.c.created_at,
        consumers.c.uuid.label("consumer"),
        consumers.c.generation.label("consumer_generation"),
        consumers.c.project_id,
        consumers.c.user_id,
        consumers.c.consumer_type,
    )
    .join(consumers, consumers.c.id == claims.c.consumer_id)
    .join(providers, providers.c.id == claims.c.provider_id)
    .join(resource_classes, resource_classes.c.id == claims.c.class_id)
    .order_by(providers.c.id, consumers.c.id, resource_classes.c.name)
)
_OF_CONSUMER = _SHOWN.where(consumers.c.uuid == bindparam("uuid"))
_ON_PROVIDER = _SHOWN.where(claims.c.provider_id == bindparam("of_id"))


def of_consumer(tx: Transaction, uuid: str) -> list[Row]:
    """Return every claim of a consumer."""
    return tx.rows(_OF_CONSUMER, {"uuid": uuid})


def on_provider(tx: Transaction, provider_id: int) -> list[Row]:
    """Return every claim on a provider."""
    return tx.rows(_ON_PROVIDER, {"of_id": provider_id})


def consumers_on(tx: Transaction, provider_ids: Sequence[int]) -> dict[int, set[str]]:
    """Return the uuids of all consumers with claims on each of these providers."""
    found: dict[int, set[str]] = {provider_id: set() for provider_id in provider_ids}
    for piece in sets.pieces(provider_ids):
        for provider_id, consumer in tx.tuples(_consumers_on(len(piece)), sets.numbered("id", piece)):
            found[provider_id].add(consumer)
    return found


def consumers_of(tx: Transaction, *, classes: Sequence[str], roots: Sequence[int]) -> list[str]:
    """Return the uuids of all consumers with claims on the classes, or on any provider in the trees of these roots."""
    found: set[str] = set()
    for piece in sets.pieces(classes):
        found.update(tx.values(_consumers_of_classes(len(piece)), sets.numbered("name", piece)))
    for part in sets.pieces(roots):
        found.update(tx.values(_consumers_in_trees(len(part)), sets.numbered("root", part)))
    return sorted(found)


@sets.cached
def _consumers_on(count: int) -> Select[Any]:
    joined = claims.join(consumers, consumers.c.id == claims.c.consumer_id)
    on = claims.c.provider_id.in_(sets.binds("id", count))
    return select(claims.c.provider_id, consumers.c.uuid).select_from(joined).where(on)


@sets.cached
def _consumers_of_classes(count: int) -> Select[Any]:
    joined = claims.join(consumers, consumers.c.id == claims.c.consumer_id)
    joined = joined.join(resource_classes, resource_classes.c.id == claims.c.class_id)
    named = resource_classes.c.name.in_(sets.binds("name", count))
    return select(consumers.c.uuid).select_from(joined).where(named).distinct()


@sets.cached
def _consumers_in_trees(count: int) -> Select[Any]:
    joined = claims.join(consumers, consumers.c.id == claims.c.consumer_id)
    joined = joined.join(providers, providers.c.id == claims.c.provider_id)
    return (
        select(consumers.c.uuid)
        .select_from(joined)
        .where(providers.c.root_id.in_(sets.binds("root", count)))
        .distinct()
    )
