"""Providers: names, trees, and who may be removed."""

import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.ledger.model.criteria import Criteria
from dibs.ledger.model.errors import (
    BadParent,
    NoSuchTrait,
    ProviderExists,
    ProviderHasChildren,
    ProviderInUse,
    ProviderNotFound,
    ProviderOwnedByNode,
    ResourceClassNotFound,
)
from dibs.ledger.model.providers import Provider, ProviderQuery
from dibs.ledger.operations.aggregates import SetAggregates, set_aggregates
from dibs.ledger.operations.provider_traits import SetProviderTraits, set_provider_traits
from dibs.ledger.operations.providers import (
    UNMOVED,
    ChangeProvider,
    CreateProvider,
    GetProvider,
    Unmoved,
    change_provider,
    create_provider,
    delete_provider,
    get_provider,
    list_providers,
)
from dibs.ledger.operations.traits import NamedTrait, ensure_trait
from dibs.machines.operations.nodes import DeleteNode, delete_node
from tests.builders import Ledger
from tests.provider_builders import claim, make, now, statements

NOBODY = "99999999-9999-4999-8999-999999999999"
AGGREGATE, OTHER_AGGREGATE = str(uuid.uuid4()), str(uuid.uuid4())


def change(
    ledger: Ledger,
    provider: Provider,
    *,
    name: str | None = None,
    parent: str | Unmoved | None = UNMOVED,
    may_move_again: bool = True,
) -> Provider:
    command = ChangeProvider(
        uuid=provider.uuid, name=name or provider.name, parent=parent, may_move_again=may_move_again
    )
    return ledger.runner.write(change_provider, SERVICE, command)


def get(ledger: Ledger, uuid: str) -> Provider:
    return ledger.runner.read(get_provider, SERVICE, GetProvider(uuid=uuid))


def delete(ledger: Ledger, provider: Provider) -> None:
    ledger.runner.write(delete_provider, SERVICE, GetProvider(uuid=provider.uuid))


def listed(ledger: Ledger, query: ProviderQuery) -> list[str]:
    return [provider.name for provider in ledger.runner.read(list_providers, SERVICE, query)]


def give_traits(ledger: Ledger, provider: Provider, *traits: str) -> None:
    for trait in traits:
        if trait.startswith("CUSTOM_"):
            ledger.runner.write(ensure_trait, SERVICE, NamedTrait(name=trait))
    command = SetProviderTraits(provider=provider.uuid, generation=None, traits=traits)
    ledger.runner.write(set_provider_traits, SERVICE, command)


def join(ledger: Ledger, provider: Provider, *aggregates: str) -> None:
    command = SetAggregates(provider=provider.uuid, generation=None, aggregates=aggregates)
    ledger.runner.write(set_aggregates, SERVICE, command)


def all_of(*names: str) -> Criteria:
    return Criteria(required=tuple(frozenset({name}) for name in names))


def test_a_new_provider_is_the_root_of_its_own_tree(ledger: Ledger) -> None:
    provider = make(ledger, "alone")
    assert (provider.name, provider.generation, provider.parent, provider.root) == ("alone", 0, None, provider.uuid)


def test_a_child_has_the_root_of_its_parent(ledger: Ledger) -> None:
    root = make(ledger)
    child = make(ledger, parent=root)
    grandchild = make(ledger, parent=child)
    assert (grandchild.parent, grandchild.root) == (child.uuid, root.uuid)


@pytest.mark.parametrize(("field", "value"), [("name", "taken"), ("uuid", NOBODY)])
def test_names_and_uuids_are_unique(ledger: Ledger, field: str, value: str) -> None:
    values = {"uuid": NOBODY, "name": "taken"}
    ledger.runner.write(create_provider, SERVICE, CreateProvider(**values))
    other = {"uuid": str(uuid.uuid4()), "name": "other", field: value}
    with pytest.raises(ProviderExists, match=f"{field}: {value}"):
        ledger.runner.write(create_provider, SERVICE, CreateProvider(**other))


def test_the_name_of_a_node_is_taken_too(ledger: Ledger) -> None:
    ledger.enrol(name="machine")
    with pytest.raises(ProviderExists, match="machine"):
        make(ledger, "machine")


@pytest.mark.parametrize("parent", [NOBODY, "itself"])
def test_a_parent_must_exist_and_be_another(ledger: Ledger, parent: str) -> None:
    identity = str(uuid.uuid4())
    command = CreateProvider(uuid=identity, name="x", parent=identity if parent == "itself" else parent)
    with pytest.raises(BadParent):
        ledger.runner.write(create_provider, SERVICE, command)


def test_renaming_leaves_the_generation_alone(ledger: Ledger) -> None:
    provider = make(ledger, "before")
    after = change(ledger, provider, name="after")
    assert (after.name, after.generation) == ("after", 0)
    with pytest.raises(ProviderExists):
        change(ledger, make(ledger, "third"), name="after")


def test_a_provider_that_moves_takes_everything_below_it_along(ledger: Ledger) -> None:
    old, new = make(ledger), make(ledger)
    moving = make(ledger, parent=old)
    child = make(ledger, parent=moving)
    staying = make(ledger, parent=old)
    moved = change(ledger, moving, parent=new.uuid)
    assert (moved.parent, moved.root) == (new.uuid, new.uuid)
    assert now(ledger, child).root == new.uuid
    assert now(ledger, staying).root == old.uuid


def test_a_provider_that_leaves_its_parent_is_the_root_of_what_is_below_it(ledger: Ledger) -> None:
    root = make(ledger)
    leaving = make(ledger, parent=root)
    child = make(ledger, parent=leaving)
    assert change(ledger, leaving, parent=None).root == leaving.uuid
    assert now(ledger, child).root == leaving.uuid


def test_no_loops(ledger: Ledger) -> None:
    root = make(ledger)
    child = make(ledger, parent=root)
    grandchild = make(ledger, parent=child)
    for top, parent in ((root, root), (root, grandchild), (child, grandchild)):
        with pytest.raises(BadParent, match="loop"):
            change(ledger, top, parent=parent.uuid)
    assert now(ledger, grandchild).root == root.uuid


def test_without_leave_to_move_again_only_the_first_parent_is_taken(ledger: Ledger) -> None:
    provider, first, second = make(ledger), make(ledger), make(ledger)
    change(ledger, provider, parent=first.uuid, may_move_again=False)
    change(ledger, provider, parent=first.uuid, may_move_again=False)
    with pytest.raises(BadParent, match="re-parenting"):
        change(ledger, provider, parent=second.uuid, may_move_again=False)
    with pytest.raises(BadParent, match="un-parenting"):
        change(ledger, provider, parent=None, may_move_again=False)
    with pytest.raises(BadParent, match="does not exist"):
        change(ledger, second, parent=NOBODY)


def test_a_parent_and_a_provider_in_use_stay(ledger: Ledger) -> None:
    root = make(ledger)
    child = make(ledger, parent=root, VCPU=4)
    claim(ledger, child, VCPU=1)
    with pytest.raises(ProviderHasChildren):
        delete(ledger, root)
    with pytest.raises(ProviderInUse):
        delete(ledger, child)


def test_removing_a_provider_removes_all_it_has(ledger: Ledger) -> None:
    provider = make(ledger, VCPU=4)
    give_traits(ledger, provider, "HW_CPU_X86_VMX")
    join(ledger, provider, AGGREGATE)
    delete(ledger, provider)
    for use_case in (get_provider, delete_provider):
        with pytest.raises(ProviderNotFound):
            ledger.runner.write(use_case, SERVICE, GetProvider(uuid=provider.uuid))


def test_what_a_node_owns_is_refused_and_the_node_is_named(ledger: Ledger) -> None:
    node = ledger.enrol(name="rack-1", resource_class="gold")
    provider = get(ledger, node.uuid)
    with pytest.raises(ProviderOwnedByNode, match="rack-1"):
        change(ledger, provider, name="mine")
    with pytest.raises(ProviderOwnedByNode, match="rack-1"):
        delete(ledger, provider)
    with pytest.raises(ProviderOwnedByNode, match="rack-1"):
        give_traits(ledger, provider, "HW_CPU_X86_VMX")


def test_a_node_may_have_a_place_in_a_tree(ledger: Ledger) -> None:
    node, root = ledger.enrol(name="rack-1"), make(ledger)
    provider = get(ledger, node.uuid)
    assert change(ledger, provider, parent=root.uuid).root == root.uuid
    assert make(ledger, parent=provider).root == root.uuid


def test_filters_by_name_uuid_and_tree(ledger: Ledger) -> None:
    root, alone = make(ledger, "root"), make(ledger, "alone")
    child = make(ledger, "child", parent=root)
    assert listed(ledger, ProviderQuery()) == ["root", "alone", "child"]
    assert listed(ledger, ProviderQuery(name="child")) == ["child"]
    assert listed(ledger, ProviderQuery(uuid=alone.uuid)) == ["alone"]
    assert listed(ledger, ProviderQuery(in_tree=child.uuid)) == ["root", "child"]
    assert listed(ledger, ProviderQuery(in_tree=NOBODY)) == []
    assert listed(ledger, ProviderQuery(name="child", in_tree=alone.uuid)) == []


def test_filters_by_traits(ledger: Ledger) -> None:
    both, one, none = make(ledger, "both"), make(ledger, "one"), make(ledger, "none")
    give_traits(ledger, both, "CUSTOM_A", "CUSTOM_B")
    give_traits(ledger, one, "CUSTOM_A")
    give_traits(ledger, none)
    assert listed(ledger, ProviderQuery(traits=all_of("CUSTOM_A"))) == ["both", "one"]
    assert listed(ledger, ProviderQuery(traits=all_of("CUSTOM_A", "CUSTOM_B"))) == ["both"]
    any_of = Criteria(required=(frozenset({"CUSTOM_B", "HW_CPU_X86_VMX"}),))
    assert listed(ledger, ProviderQuery(traits=any_of)) == ["both"]
    assert listed(ledger, ProviderQuery(traits=Criteria(forbidden=frozenset({"CUSTOM_B"})))) == ["one", "none"]
    with pytest.raises(NoSuchTrait, match="CUSTOM_NOT_MADE"):
        listed(ledger, ProviderQuery(traits=all_of("CUSTOM_NOT_MADE")))


def test_filters_by_aggregates(ledger: Ledger) -> None:
    both, one = make(ledger, "both"), make(ledger, "one")
    make(ledger, "none")
    join(ledger, both, AGGREGATE, OTHER_AGGREGATE)
    join(ledger, one, AGGREGATE)
    assert listed(ledger, ProviderQuery(aggregates=all_of(AGGREGATE))) == ["both", "one"]
    assert listed(ledger, ProviderQuery(aggregates=all_of(AGGREGATE, OTHER_AGGREGATE))) == ["both"]
    assert listed(ledger, ProviderQuery(aggregates=all_of(NOBODY))) == []
    assert listed(ledger, ProviderQuery(aggregates=Criteria(forbidden=frozenset({OTHER_AGGREGATE})))) == ["one", "none"]


def test_filters_by_room(ledger: Ledger) -> None:
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
            give_traits(ledger, provider, "CUSTOM_A")
            join(ledger, provider, AGGREGATE)
        counts.add(statements(ledger, lambda: listed(ledger, ProviderQuery())))
        counts.add(statements(ledger, lambda: listed(ledger, query)) - 2)  # it looks up the trait and the class
    assert counts == {1}


def test_moving_a_large_subtree_takes_as_many_statements_as_a_small_one(ledger: Ledger) -> None:
    counts = set()
    for children in (1, 30):
        top, other = make(ledger), make(ledger)
        for _ in range(children):
            make(ledger, parent=top)
        counts.add(statements(ledger, lambda top=top, other=other: change(ledger, top, parent=other.uuid)))
    assert len(counts) == 1


def test_a_node_that_is_claimed_or_has_providers_below_it_stays(ledger: Ledger) -> None:
    claimed, parent = ledger.enrol(resource_class="gold"), ledger.enrol()
    claim(ledger, get(ledger, claimed.uuid), CUSTOM_GOLD=1)
    make(ledger, parent=get(ledger, parent.uuid))
    for node, reason in ((claimed, ProviderInUse), (parent, ProviderHasChildren)):
        with pytest.raises(reason, match=node.uuid):
            ledger.runner.write(delete_node, SERVICE, DeleteNode(ident=node.uuid))


def test_an_unclaimed_node_goes_with_its_provider(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold")
    ledger.runner.write(delete_node, SERVICE, DeleteNode(ident=node.uuid))
    with pytest.raises(ProviderNotFound):
        get(ledger, node.uuid)
