"""What is used and reserved is read fresh, in one statement for any number of providers."""

from dibs.candidates.queries.usage import read_usage, read_usage_with_versions
from dibs.database import Store
from dibs.ledger.queries import providers, structure
from tests.builders import Ledger
from tests.candidates.queries.small_world import CHILD, POOR, RICH, put_small_world
from tests.provider_builders import claim, make


def test_only_inventories_in_use_have_amounts(store: Store) -> None:
    put_small_world(store)
    ids = store.read(lambda tx: providers.ids_of(tx, [RICH, CHILD, POOR]))
    usage = store.read(lambda tx: read_usage(tx, ids.values()))
    assert {provider_id: [*amounts.values()] for provider_id, amounts in usage.items()} == {
        ids[CHILD]: [(4, 0)],
        ids[POOR]: [(0, 7)],
    }


def test_a_claim_and_a_reserved_unit_show_at_once(ledger: Ledger) -> None:
    provider = make(ledger, VCPU=4)

    def amounts() -> list[tuple[int, int]]:
        return [*ledger.store.read(lambda tx: read_usage(tx, [provider.id])).get(provider.id, {}).values()]

    assert amounts() == []
    claim(ledger, provider, VCPU=3)
    assert amounts() == [(3, 0)]
    ledger.run(lambda tx: providers.reserve_unit(tx, provider.id, 1))
    assert amounts() == [(3, 1)]


def test_a_large_part_of_all_providers_is_read_with_the_whole_table(store: Store) -> None:
    put_small_world(store)
    ids = store.read(lambda tx: providers.ids_of(tx, [CHILD, POOR]))
    looked_up = store.read(lambda tx: read_usage(tx, [ids[CHILD]], known=2))
    assert [*looked_up] == [ids[CHILD]]
    whole = store.read(lambda tx: read_usage(tx, [ids[CHILD]], known=1))
    assert sorted(whole) == sorted(ids.values())
    assert whole[ids[CHILD]] == looked_up[ids[CHILD]]


def test_versions_and_usage_are_read_in_one_statement(store: Store) -> None:
    put_small_world(store)
    ids = store.read(lambda tx: providers.ids_of(tx, [RICH, CHILD, POOR]))
    versions = store.read(structure.sum_of_versions)
    before = store.statistics.statements
    for known in (100, 1):
        found = store.read(lambda tx, known=known: read_usage_with_versions(tx, ids.values(), known))
        assert found == (versions, store.read(lambda tx: read_usage(tx, ids.values())))
    assert store.read(lambda tx: read_usage_with_versions(tx, (), 100)) == (versions, {})
    assert store.statistics.statements == before + 5


def test_thousands_of_providers_take_one_statement(store: Store) -> None:
    before = store.statistics.statements
    assert store.read(lambda tx: read_usage(tx, range(1, 5_000))) == {}
    assert store.read(lambda tx: read_usage(tx, ())) == {}
    assert store.statistics.statements == before + 1
