"""Law 1 for amounts: concurrent claims never exceed an inventory, none is lost, and replacing claims leaves no gap."""

import random
import threading
import uuid
from collections.abc import Mapping

from dibs.access.access import SERVICE
from dibs.database import Store
from dibs.database.transaction import Transaction
from dibs.ledger.model.claims import ANY_GENERATION, AnyGeneration, ClaimRequest
from dibs.ledger.model.errors import CapacityExceeded, ConsumerGenerationConflict
from dibs.ledger.operations.claims import ReplaceClaims, list_claims_of_consumer, replace_claims
from dibs.ledger.queries import inventories, providers
from dibs.ledger.tables import inventories as inventory_rows
from tests.builders import Ledger
from tests.races.crowd import all_at_once

CROWD = 32
ROUNDS = 8


def provider_with(ledger: Ledger, total: int) -> str:
    """Create a provider with ``total`` units of one class."""
    identity = str(uuid.uuid4())

    def make(tx: Transaction) -> None:
        row_id = providers.insert_provider(tx, identity, identity, 1)
        providers.offer_one_unit(tx, row_id, "CUSTOM_UNIT", reserved=0, now=1)
        tx.change(
            inventory_rows.update().where(inventory_rows.c.provider_id == row_id).values(total=total, max_unit=total)
        )

    ledger.store.write(make)
    return identity


def claim(
    ledger: Ledger, *requests: tuple[str, Mapping[str, int]], generation: int | AnyGeneration | None = ANY_GENERATION
) -> None:
    """Replace the claims of consumers by these amounts by provider."""
    command = ReplaceClaims(
        requests=tuple(
            ClaimRequest(
                consumer=consumer,
                resources={provider: {"CUSTOM_UNIT": amount} for provider, amount in amounts.items()},
                generation=generation,
                project_id="p",
                user_id="u",
            )
            for consumer, amounts in requests
        )
    )
    ledger.runner.write(replace_claims, SERVICE, command)


def used(store: Store, provider: str) -> int:
    """Return the used amount of a provider's inventory."""

    def read(tx: Transaction) -> int:
        (row_id,) = providers.ids_of(tx, [provider]).values()
        (inventory,) = inventories.of_providers(tx, [row_id]).values()
        return inventory.used

    return store.read(read)


def claims_of(ledger: Ledger, consumer: str) -> dict[str, int]:
    rows = ledger.runner.read(list_claims_of_consumer, SERVICE, consumer)
    return {row["provider"]: row["amount"] for row in rows}


def test_concurrent_claims_that_fit_on_one_provider_are_all_granted(ledger: Ledger) -> None:
    provider = provider_with(ledger, 200)
    consumers = [[str(uuid.uuid4()) for _ in range(4)] for _ in range(CROWD)]

    def claim_all(number: int) -> None:
        for consumer in consumers[number]:
            claim(ledger, (consumer, {provider: 1}), generation=None)

    answers = all_at_once(CROWD, claim_all)
    assert answers == [None] * CROWD
    assert used(ledger.store, provider) == CROWD * 4
    assert all(claims_of(ledger, consumer) == {provider: 1} for each in consumers for consumer in each[:1])


def test_exactly_the_concurrent_claims_that_fit_are_granted(ledger: Ledger) -> None:
    room = 10
    for _ in range(ROUNDS):
        provider = provider_with(ledger, room)
        answers = all_at_once(
            CROWD, lambda _, provider=provider: claim(ledger, (str(uuid.uuid4()), {provider: 1}), generation=None)
        )
        assert sum(answer is None for answer in answers) == room, answers
        assert sum(isinstance(answer, CapacityExceeded) for answer in answers) == CROWD - room, answers
        assert used(ledger.store, provider) == room


def test_one_of_many_concurrent_writers_sets_the_claims_of_a_consumer(ledger: Ledger) -> None:
    hosts = [provider_with(ledger, 100) for _ in range(4)]
    consumer = str(uuid.uuid4())
    requests = [dict.fromkeys(random.sample(hosts, 2), number + 1) for number in range(CROWD)]
    answers = all_at_once(CROWD, lambda number: claim(ledger, (consumer, requests[number]), generation=None))
    winners = [number for number, answer in enumerate(answers) if answer is None]
    assert len(winners) == 1, answers
    assert all(answer is None or isinstance(answer, ConsumerGenerationConflict) for answer in answers), answers
    assert claims_of(ledger, consumer) == requests[winners[0]]


def test_concurrent_random_swaps_conserve_the_total(ledger: Ledger) -> None:
    hosts = [provider_with(ledger, 40) for _ in range(5)]
    consumers = [str(uuid.uuid4()) for _ in range(10)]
    for number, consumer in enumerate(consumers):
        claim(ledger, (consumer, {hosts[number % 5]: 4}))

    def swap(number: int) -> None:
        chance = random.Random(number)
        for _ in range(6):
            one, other = chance.sample(consumers, 2)
            here, there = chance.sample(hosts, 2)
            claim(ledger, (one, {here: 3, there: 1}), (other, {there: 4}))

    answers = all_at_once(8, swap)
    assert answers == [None] * 8
    assert sum(sum(claims_of(ledger, consumer).values()) for consumer in consumers) == 40
    assert sum(used(ledger.store, host) for host in hosts) == 40


def test_no_other_consumer_gets_capacity_that_moves_from_an_instance_to_its_migration(ledger: Ledger) -> None:
    """One transaction gives the source to the migration and the target to the instance."""
    source, target = provider_with(ledger, 1), provider_with(ledger, 1)
    over = threading.Event()
    stolen: list[str] = []

    def steal(number: int) -> None:
        while not over.is_set():
            thief = str(uuid.uuid4())
            try:
                claim(ledger, (thief, {(source, target)[number % 2]: 1}))
                stolen.append(thief)
            except CapacityExceeded:
                continue

    instance, migration = str(uuid.uuid4()), str(uuid.uuid4())
    claim(ledger, (instance, {source: 1}))
    claim(ledger, (migration, {target: 1}))
    thieves = [threading.Thread(target=steal, args=(number,)) for number in range(6)]
    for thief in thieves:
        thief.start()
    try:
        for _ in range(25):
            claim(ledger, (migration, {source: 1}), (instance, {target: 1}))
            claim(ledger, (instance, {source: 1}), (migration, {target: 1}))
    finally:
        over.set()
        for thief in thieves:
            thief.join()
    assert stolen == []
    assert (claims_of(ledger, instance), claims_of(ledger, migration)) == ({source: 1}, {target: 1})
