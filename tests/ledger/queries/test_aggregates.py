"""Rows of aggregates."""

from dibs.ledger.queries import aggregates
from tests.builders import Ledger
from tests.provider_builders import make

MANY = [f"{number:08d}-0000-4000-8000-000000000000" for number in range(500)]


def test_more_aggregates_than_one_statement_takes_are_added_and_removed(ledger: Ledger) -> None:
    provider, other = make(ledger), make(ledger)
    ledger.run(lambda tx: aggregates.add(tx, provider.id, {each: each for each in MANY}))
    ledger.run(lambda tx: aggregates.add(tx, other.id, {MANY[0]: MANY[0].replace("-", "")}))
    assert list(ledger.store.read(lambda tx: aggregates.of_provider(tx, provider.id))) == MANY
    ledger.run(lambda tx: aggregates.remove(tx, provider.id, MANY[1:]))
    assert list(ledger.store.read(lambda tx: aggregates.of_provider(tx, provider.id))) == MANY[:1]
    assert ledger.store.read(lambda tx: aggregates.of_provider(tx, other.id)) == {MANY[0]: MANY[0].replace("-", "")}
