"""Traits of a provider: generation, catalogue, and the traits of nodes."""

import pytest

from dibs.access.access import SERVICE
from dibs.ledger.model.errors import NoSuchTrait, ProviderGenerationConflict, ProviderNotFound, ProviderOwnedByNode
from dibs.ledger.model.providers import Provider
from dibs.ledger.operations.provider_traits import (
    ProviderTraits,
    SetProviderTraits,
    list_provider_traits,
    remove_provider_traits,
    set_provider_traits,
)
from dibs.ledger.operations.providers import get_provider
from dibs.ledger.operations.traits import ensure_trait
from tests.builders import Ledger
from tests.provider_builders import make, now, statements

VMX, SGX = "HW_CPU_X86_VMX", "HW_CPU_X86_SGX"


def put(ledger: Ledger, provider: Provider, generation: int | None, *traits: str) -> ProviderTraits:
    command = SetProviderTraits(provider=provider.uuid, generation=generation, traits=traits)
    return ledger.runner.write(set_provider_traits, SERVICE, command)


def shown(ledger: Ledger, provider: Provider) -> tuple[str, ...]:
    return ledger.runner.read(list_provider_traits, SERVICE, provider.uuid).traits


def remove_all(ledger: Ledger, provider: Provider) -> None:
    ledger.runner.write(remove_provider_traits, SERVICE, provider.uuid)


def test_the_generation_is_incremented_only_when_the_traits_change(ledger: Ledger) -> None:
    provider = make(ledger)
    assert put(ledger, provider, 0, VMX, SGX).generation == 1
    assert put(ledger, provider, 1, SGX, VMX, SGX).generation == 1
    assert put(ledger, provider, 1, SGX).generation == 2
    remove_all(ledger, provider)
    remove_all(ledger, provider)
    assert now(ledger, provider).generation == 3
    assert shown(ledger, provider) == ()


def test_a_stale_generation_changes_nothing(ledger: Ledger) -> None:
    provider = make(ledger)
    put(ledger, provider, 0, VMX)
    with pytest.raises(ProviderGenerationConflict):
        put(ledger, provider, 0, SGX)
    assert shown(ledger, provider) == (VMX,)


def test_a_custom_trait_must_exist_before_a_provider_has_it(ledger: Ledger) -> None:
    provider = make(ledger)
    with pytest.raises(NoSuchTrait, match="CUSTOM_A, CUSTOM_B"):
        put(ledger, provider, 0, "CUSTOM_B", VMX, "CUSTOM_A")
    for name in ("CUSTOM_A", "CUSTOM_B"):
        ledger.runner.write(ensure_trait, SERVICE, name)
    assert put(ledger, provider, 0, "CUSTOM_B", "CUSTOM_A").traits == ("CUSTOM_A", "CUSTOM_B")


def test_the_traits_of_a_node_are_shown_but_cannot_be_set(ledger: Ledger) -> None:
    node = ledger.enrol(name="rack-1", with_traits=("CUSTOM_A",))
    provider = ledger.runner.read(get_provider, SERVICE, node.uuid)
    assert shown(ledger, provider) == ("CUSTOM_A",)
    with pytest.raises(ProviderOwnedByNode, match="rack-1"):
        put(ledger, provider, provider.generation, VMX)
    with pytest.raises(ProviderOwnedByNode, match="rack-1"):
        remove_all(ledger, provider)


def test_an_unknown_provider_is_refused(ledger: Ledger) -> None:
    with pytest.raises(ProviderNotFound):
        ledger.runner.read(list_provider_traits, SERVICE, "99999999-9999-4999-8999-999999999999")


def test_many_traits_take_as_many_statements_as_one(ledger: Ledger) -> None:
    custom = [f"CUSTOM_{number}" for number in range(60)]
    for name in custom:
        ledger.runner.write(ensure_trait, SERVICE, name)
    counts = set()
    for traits in (custom[:1], custom[1:]):
        provider = make(ledger)
        put(ledger, provider, 0, VMX)
        counts.add(statements(ledger, lambda provider=provider, traits=traits: put(ledger, provider, 1, *traits)))
    assert len(counts) == 1
