"""Rows of traits."""

from dibs.ledger.queries import traits
from tests.builders import Ledger
from tests.provider_builders import make

VMX = "HW_CPU_X86_VMX"


def test_traits_get_a_row_at_first_use_and_keep_its_time(ledger: Ledger) -> None:
    provider, other = make(ledger), make(ledger)
    ledger.run(lambda tx: traits.add(tx, provider.id, ["CUSTOM_A"], 1))
    ledger.run(lambda tx: traits.add(tx, provider.id, [VMX], 2))
    ledger.run(lambda tx: traits.add(tx, other.id, ["CUSTOM_A"], 3))
    assert ledger.store.read(lambda tx: traits.newest_of_provider(tx, provider.id)) == 2
    assert ledger.store.read(lambda tx: traits.newest_of_provider(tx, other.id)) == 1
    found = ledger.store.read(lambda tx: traits.of_providers(tx, [provider.id, other.id]))
    assert (sorted(found[provider.id]), found[other.id]) == (["CUSTOM_A", VMX], ["CUSTOM_A"])


def test_a_provider_without_traits_has_an_empty_list_and_no_time(ledger: Ledger) -> None:
    provider = make(ledger)
    assert ledger.store.read(lambda tx: traits.of_providers(tx, [provider.id])) == {provider.id: []}
    assert ledger.store.read(lambda tx: traits.newest_of_provider(tx, provider.id)) is None


def test_a_trait_without_a_row_is_neither_known_nor_locked(ledger: Ledger) -> None:
    ledger.run(lambda tx: traits.ensure(tx, ["CUSTOM_A"], 1))
    assert ledger.run(lambda tx: traits.known(tx, ["CUSTOM_A", "CUSTOM_B"], hold=True)) == {"CUSTOM_A"}
    assert ledger.run(lambda tx: traits.lock(tx, "CUSTOM_A"))
    assert not ledger.run(lambda tx: traits.lock(tx, "CUSTOM_B"))
    ledger.run(lambda tx: traits.remove_name(tx, "CUSTOM_A"))
    assert ledger.store.read(traits.every) == []


def test_removed_traits_stay_in_the_catalogue_without_providers(ledger: Ledger) -> None:
    provider = make(ledger)
    ledger.run(lambda tx: traits.add(tx, provider.id, ["CUSTOM_A", "CUSTOM_B"], 1))
    ledger.run(lambda tx: traits.remove(tx, provider.id, ["CUSTOM_A"]))
    assert ledger.store.read(lambda tx: traits.of_provider(tx, provider.id)) == ["CUSTOM_B"]
    assert [bool(row["has_providers"]) for row in ledger.store.read(traits.every)] == [False, True]
