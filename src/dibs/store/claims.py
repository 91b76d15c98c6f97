"""Claims: who has how much of which provider. Only ``usecases.booking`` writes them."""

from sqlalchemy import bindparam, delete, exists, insert, select, update

from dibs.store.tables import claims, consumers, inventories
from dibs.store.transaction import Again, Duplicate, Row, Transaction

_ON_PROVIDER = (
    select(consumers.c.uuid.label("consumer"), claims.c.class_id, claims.c.amount)
    .join(consumers, consumers.c.id == claims.c.consumer_id)
    .where(claims.c.provider_id == bindparam("of_id"))
)
_TAKE_UNIT = (
    update(inventories).where(inventories.c.provider_id == bindparam("of_id"), inventories.c.used == 0).values(used=1)
)
_CLASS_OF_UNIT = select(inventories.c.class_id).where(inventories.c.provider_id == bindparam("of_id"))
_CONSUMER_ID = select(consumers.c.id).where(consumers.c.uuid == bindparam("uuid"))
_INSERT_CONSUMER = (
    insert(consumers).values(uuid=bindparam("uuid"), created_at=bindparam("now")).returning(consumers.c.id)
)
_INSERT = insert(claims).values(
    consumer_id=bindparam("consumer_id"),
    provider_id=bindparam("provider_id"),
    class_id=bindparam("class_id"),
    amount=1,
    created_at=bindparam("now"),
)
_GIVE_BACK = (
    update(inventories)
    .where(
        inventories.c.provider_id == bindparam("of_id"),
        exists().where(
            claims.c.provider_id == inventories.c.provider_id,
            claims.c.class_id == inventories.c.class_id,
            claims.c.consumer_id == bindparam("consumer_id"),
        ),
    )
    .values(used=0)
)
_DELETE = delete(claims).where(
    claims.c.provider_id == bindparam("of_id"), claims.c.consumer_id == bindparam("consumer_id")
)
_DELETE_IDLE_CONSUMER = delete(consumers).where(
    consumers.c.id == bindparam("consumer_id"), ~exists().where(claims.c.consumer_id == bindparam("consumer_id"))
)


def on_provider(tx: Transaction, provider_id: int) -> list[Row]:
    """Every claim on a provider, with its consumer's uuid."""
    return tx.rows(_ON_PROVIDER, {"of_id": provider_id})


def unit_class(tx: Transaction, provider_id: int) -> int | None:
    """The class of the one unit that a machine offers; None when it offers none."""
    found = tx.values(_CLASS_OF_UNIT, {"of_id": provider_id})
    return int(found[0]) if found else None


def take_unit(tx: Transaction, provider_id: int, class_id: int, consumer_uuid: str, now: int) -> bool:
    """Claim a machine's one unit for a consumer; False when somebody has it."""
    if tx.change(_TAKE_UNIT, {"of_id": provider_id}) != 1:
        return False
    consumer_id = _consumer(tx, consumer_uuid, now)
    tx.change(_INSERT, {"consumer_id": consumer_id, "provider_id": provider_id, "class_id": class_id, "now": now})
    return True


def give_back(tx: Transaction, provider_id: int, consumer_uuid: str) -> None:
    """Remove a consumer's claim on a provider, and the consumer when it has nothing left."""
    found = tx.values(_CONSUMER_ID, {"uuid": consumer_uuid})
    if not found:
        return
    parameters = {"of_id": provider_id, "consumer_id": found[0]}
    tx.change(_GIVE_BACK, parameters)
    tx.change(_DELETE, parameters)
    tx.change(_DELETE_IDLE_CONSUMER, {"consumer_id": found[0]})


def _consumer(tx: Transaction, uuid: str, now: int) -> int:
    found = tx.values(_CONSUMER_ID, {"uuid": uuid})
    if found:
        return int(found[0])
    try:
        return int(tx.values(_INSERT_CONSUMER, {"uuid": uuid, "now": now})[0])
    except Duplicate as error:
        raise Again from error
