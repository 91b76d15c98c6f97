"""Aggregates of a provider, with and without a generation."""

import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.ledger.model.errors import ProviderGenerationConflict, ProviderNotFound
from dibs.ledger.model.providers import Provider
from dibs.ledger.operations.aggregates import ProviderAggregates, SetAggregates, list_aggregates, set_aggregates
from dibs.ledger.operations.providers import get_provider
from tests.builders import Ledger
from tests.provider_builders import make, now, statements

FIRST, SECOND, THIRD = (f"{number}0000000-0000-4000-8000-000000000000" for number in "321")


def put(ledger: Ledger, provider: Provider, generation: int | None, *aggregates: str) -> ProviderAggregates:
    command = SetAggregates(provider=provider.uuid, generation=generation, aggregates=aggregates)
    return ledger.runner.write(set_aggregates, SERVICE, command)


def shown(ledger: Ledger, provider: Provider) -> tuple[str, ...]:
    return ledger.runner.read(list_aggregates, SERVICE, provider.uuid).aggregates


def test_aggregates_are_replaced_and_returned_in_the_clients_order(ledger: Ledger) -> None:
    provider = make(ledger)
    assert put(ledger, provider, 0, FIRST, SECOND).aggregates == (FIRST, SECOND)
    put(ledger, provider, 1, SECOND, THIRD)
    assert shown(ledger, provider) == (THIRD, SECOND)


def test_the_generation_is_incremented_only_for_clients_that_send_it(ledger: Ledger) -> None:
    provider = make(ledger)
    assert put(ledger, provider, None, FIRST).generation == 0
    assert put(ledger, provider, 0, FIRST).generation == 1
    assert now(ledger, provider).generation == 1
    with pytest.raises(ProviderGenerationConflict):
        put(ledger, provider, 0)
    assert shown(ledger, provider) == (FIRST,)


def test_the_aggregates_of_a_node_may_be_set(ledger: Ledger) -> None:
    node = ledger.enrol(name="rack-1")
    provider = ledger.runner.read(get_provider, SERVICE, node.uuid)
    put(ledger, provider, provider.generation, FIRST)
    assert shown(ledger, provider) == (FIRST,)


def test_the_aggregates_of_an_unknown_provider_are_refused(ledger: Ledger) -> None:
    unknown = "99999999-9999-4999-8999-999999999999"
    with pytest.raises(ProviderNotFound):
        ledger.runner.read(list_aggregates, SERVICE, unknown)


def test_many_aggregates_take_as_many_statements_as_one(ledger: Ledger) -> None:
    counts = set()
    for number in (1, 50):
        provider = make(ledger)
        put(ledger, provider, 0, FIRST)
        many = [str(uuid.uuid4()) for _ in range(number)]
        counts.add(statements(ledger, lambda provider=provider, many=many: put(ledger, provider, 1, *many)))
    assert len(counts) == 1
