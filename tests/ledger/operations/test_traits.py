"""The catalogue of traits."""

import pytest

from dibs.access.access import SERVICE
from dibs.ledger.model.errors import NoSuchTrait, StandardTrait, TraitInUse
from dibs.ledger.model.traits import standard_traits
from dibs.ledger.operations.traits import ListTraits, delete_trait, ensure_trait, get_trait, list_traits
from tests.builders import Ledger
from tests.provider_builders import statements

MINE = "CUSTOM_MINE"


def names(ledger: Ledger, prefix: str = "", has_providers: bool | None = None) -> list[str]:
    command = ListTraits(prefix=prefix, has_providers=has_providers)
    return [trait.name for trait in ledger.runner.read(list_traits, SERVICE, command)]


def test_standard_traits_are_always_listed_and_custom_ones_once_created(ledger: Ledger) -> None:
    assert names(ledger) == sorted(standard_traits())
    made = ledger.runner.write(ensure_trait, SERVICE, MINE)
    again = ledger.runner.write(ensure_trait, SERVICE, MINE)
    assert (made.is_new, again.is_new) == (True, False)
    assert made.trait == again.trait == ledger.runner.read(get_trait, SERVICE, MINE)
    assert names(ledger, "CUSTOM_") == ["CUSTOM_MINE"]


def test_traits_are_filtered_by_use(ledger: Ledger) -> None:
    ledger.runner.write(ensure_trait, SERVICE, MINE)
    ledger.enrol(with_traits=("CUSTOM_NODE", "HW_CPU_X86_VMX"))
    assert names(ledger, has_providers=True) == ["CUSTOM_NODE", "HW_CPU_X86_VMX"]
    assert names(ledger, "CUSTOM_", has_providers=False) == ["CUSTOM_MINE"]
    assert len(names(ledger, has_providers=False)) == len(standard_traits())


def test_only_unused_custom_traits_can_be_deleted(ledger: Ledger) -> None:
    ledger.runner.write(ensure_trait, SERVICE, MINE)
    ledger.enrol(with_traits=("CUSTOM_NODE",))
    ledger.runner.write(delete_trait, SERVICE, MINE)
    with pytest.raises(NoSuchTrait):
        ledger.runner.write(delete_trait, SERVICE, MINE)
    with pytest.raises(TraitInUse):
        ledger.runner.write(delete_trait, SERVICE, "CUSTOM_NODE")
    with pytest.raises(StandardTrait):
        ledger.runner.write(delete_trait, SERVICE, "HW_CPU_X86_VMX")
    assert names(ledger, "CUSTOM_") == ["CUSTOM_NODE"]


def test_an_unknown_trait_is_refused_and_an_unused_standard_one_has_no_time(ledger: Ledger) -> None:
    with pytest.raises(NoSuchTrait, match="CUSTOM_MINE"):
        ledger.runner.read(get_trait, SERVICE, MINE)
    assert ledger.runner.read(get_trait, SERVICE, "HW_CPU_X86_VMX").created_at is None


def test_a_list_takes_one_statement(ledger: Ledger) -> None:
    ledger.enrol(with_traits=tuple(f"CUSTOM_{number}" for number in range(40)))
    assert statements(ledger, lambda: names(ledger, has_providers=True)) == 1
