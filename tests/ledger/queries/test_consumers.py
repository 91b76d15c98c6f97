"""Rows of consumers."""

from dibs.database.transaction import Transaction
from dibs.ledger.queries import consumers
from dibs.ledger.queries.consumers import Consumer
from tests.builders import Ledger

FIRST, SECOND = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
OWNER = {"project_id": "p", "user_id": "u", "consumer_type": None}


def create(ledger: Ledger, *uuids: str) -> dict[str, int]:
    return ledger.run(lambda tx: consumers.create(tx, dict.fromkeys(uuids, OWNER), 1))


def test_only_consumers_that_exist_are_locked(ledger: Ledger) -> None:
    ids = create(ledger, FIRST)
    locked = ledger.run(lambda tx: consumers.lock(tx, [SECOND, FIRST], 2))
    assert locked == {
        FIRST: Consumer(id=ids[FIRST], uuid=FIRST, generation=1, project_id="p", user_id="u", consumer_type=None)
    }


def test_each_consumer_gets_its_own_description_and_the_next_generation(ledger: Ledger) -> None:
    ids = create(ledger, FIRST, SECOND)
    changed = {ids[FIRST]: {**OWNER, "project_id": "q"}, ids[SECOND]: {**OWNER, "consumer_type": "INSTANCE"}}
    ledger.run(lambda tx: consumers.change(tx, changed))
    ledger.run(lambda tx: consumers.bump_generation(tx, [ids[SECOND]]))
    found = ledger.run(lambda tx: consumers.lock(tx, [FIRST, SECOND], 2))
    first, second = found[FIRST], found[SECOND]
    assert (first.project_id, first.consumer_type, first.generation) == ("q", None, 2)
    assert (second.project_id, second.consumer_type, second.generation) == ("p", "INSTANCE", 3)


def test_a_consumer_that_another_transaction_created_runs_this_one_again(ledger: Ledger) -> None:
    create(ledger, FIRST)
    attempts = []

    def run(tx: Transaction) -> None:
        attempts.append(tx)
        if len(attempts) == 1:
            consumers.create(tx, {FIRST: OWNER}, 1)

    ledger.run(run)
    assert len(attempts) == 2


def test_a_deleted_consumer_is_gone(ledger: Ledger) -> None:
    ids = create(ledger, FIRST)
    ledger.run(lambda tx: consumers.delete(tx, list(ids.values())))
    assert ledger.store.write(lambda tx: consumers.lock(tx, [FIRST], ledger.clock())) == {}
