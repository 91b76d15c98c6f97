"""Lists of providers: every filter, in one statement."""

import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.ledger.model.criteria import Criteria
from dibs.ledger.model.errors import NoSuchTrait, ResourceClassNotFound
from dibs.ledger.model.providers import ProviderQuery
from dibs.ledger.operations.providers import list_providers
from tests.builders import Ledger
from tests.provider_builders import claim, join_aggregates, make, set_traits, statements

UNKNOWN = "99999999-9999-4999-8999-999999999999"
AGGREGATE, OTHER_AGGREGATE = str(uuid.uuid4()), str(uuid.uuid4())


def listed(ledger: Ledger, query: ProviderQuery) -> list[str]:
    return [name for _, name, *_ in ledger.runner.read(list_providers, SERVICE, query)]


def all_of(*names: str) -> Criteria:
    return Criteria(required=tuple(frozenset({name}) for name in names))


def test_providers_are_filtered_by_name_uuid_and_tree(ledger: Ledger) -> None:
    root, alone = make(ledger, "root"), make(ledger, "alone")
    child = make(ledger, "child", parent=root)
    assert listed(ledger, ProviderQuery()) == ["root", "alone", "child"]
    assert listed(ledger, ProviderQuery(name="child")) == ["child"]
    assert listed(ledger, ProviderQuery(uuid=alone.uuid)) == ["alone"]
    assert listed(ledger, ProviderQuery(in_tree=child.uuid)) == ["root", "child"]
    assert listed(ledger, ProviderQuery(in_tree=UNKNOWN)) == []
    assert listed(ledger, ProviderQuery(name="child", in_tree=alone.uuid)) == []


def test_providers_are_filtered_by_traits(ledger: Ledger) -> None:
    both, one, none = make(ledger, "both"), make(ledger, "one"), make(ledger, "none")
    set_traits(ledger, both, "CUSTOM_A", "CUSTOM_B")
    set_traits(ledger, one, "CUSTOM_A")
    set_traits(ledger, none)
    assert listed(ledger, ProviderQuery(traits=all_of("CUSTOM_A"))) == ["both", "one"]
    assert listed(ledger, ProviderQuery(traits=all_of("CUSTOM_A", "CUSTOM_B"))) == ["both"]
    any_of = Criteria(required=(frozenset({"CUSTOM_B", "HW_CPU_X86_VMX"}),))
    assert listed(ledger, ProviderQuery(traits=any_of)) == ["both"]
    assert listed(ledger, ProviderQuery(traits=Criteria(forbidden=frozenset({"CUSTOM_B"})))) == ["one", "none"]
    with pytest.raises(NoSuchTrait, match="CUSTOM_NOT_MADE"):
        listed(ledger, ProviderQuery(traits=all_of("CUSTOM_NOT_MADE")))


def test_providers_are_filtered_by_aggregates(ledger: Ledger) -> None:
    both, one = make(ledger, "both"), make(ledger, "one")
    make(ledger, "none")
    join_aggregates(ledger, both, AGGREGATE, OTHER_AGGREGATE)
    join_aggregates(ledger, one, AGGREGATE)
    assert listed(ledger, ProviderQuery(aggregates=all_of(AGGREGATE))) == ["both", "one"]
    assert listed(ledger, ProviderQuery(aggregates=all_of(AGGREGATE, OTHER_AGGREGATE))) == ["both"]
    assert listed(ledger, ProviderQuery(aggregates=all_of(UNKNOWN))) == []
    assert listed(ledger, ProviderQuery(aggregates=Criteria(forbidden=frozenset({OTHER_AGGREGATE})))) == ["one", "none"]


def test_providers_are_filtered_by_free_resources(ledger: Ledger) -> None:
    make(ledger, "small", VCPU=4)
    large = make(ledger, "large", VCPU=8, MEMORY_MB=64)
    claim(ledger, large, VCPU=5)
    assert listed(ledger, ProviderQuery(resources={"VCPU": 3})) == ["small", "large"]
    assert listed(ledger, ProviderQuery(resources={"VCPU": 4})) == ["small"]
    assert listed(ledger, ProviderQuery(resources={"VCPU": 3, "MEMORY_MB": 64})) == ["large"]
    assert listed(ledger, ProviderQuery(resources={"DISK_GB": 1})) == []
    with pytest.raises(ResourceClassNotFound, match="CUSTOM_NOT_MADE"):
        listed(ledger, ProviderQuery(resources={"CUSTOM_NOT_MADE": 1}))


def test_a_list_of_one_takes_as_many_statements_as_a_list_of_fifty(ledger: Ledger) -> None:
    counts = set()
    query = ProviderQuery(
        resources={"VCPU": 1}, traits=all_of("CUSTOM_A"), aggregates=all_of(AGGREGATE), in_tree=make(ledger).uuid
    )
    for number in (1, 49):
        for _ in range(number):
            provider = make(ledger, VCPU=1)
            set_traits(ledger, provider, "CUSTOM_A")
            join_aggregates(ledger, provider, AGGREGATE)
        counts.add(statements(ledger, lambda: listed(ledger, ProviderQuery())))
        counts.add(statements(ledger, lambda: listed(ledger, query)) - 2)  # two look up the trait and the class
    assert counts == {1}
