"""Concurrent changes of one provider, tree, class or trait take effect one after another, and completely."""

import uuid

from dibs.access.access import SERVICE
from dibs.ledger.model.errors import (
    BadParent,
    InventoryInUse,
    NoSuchTrait,
    ProviderExists,
    ProviderGenerationConflict,
    ProviderHasChildren,
    ResourceClassInUse,
    ResourceClassNotFound,
    TraitInUse,
)
from dibs.ledger.model.providers import Provider, ProviderQuery
from dibs.ledger.operations.aggregates import ProviderAggregates, SetAggregates, set_aggregates
from dibs.ledger.operations.inventories import (
    ProviderInventories,
    SetInventories,
    list_inventories,
    remove_inventories,
    set_inventories,
)
from dibs.ledger.operations.provider_traits import (
    ProviderTraits,
    SetProviderTraits,
    list_provider_traits,
    set_provider_traits,
)
from dibs.ledger.operations.providers import (
    ChangeProvider,
    CreateProvider,
    change_provider,
    create_provider,
    delete_provider,
    list_providers,
)
from dibs.ledger.operations.resource_classes import delete_resource_class, ensure_resource_class
from dibs.ledger.operations.traits import delete_trait, ensure_trait
from tests.builders import Ledger
from tests.provider_builders import claim, make, now, sizes, stock
from tests.races.crowd import all_at_once

CROWD = 12
ROUNDS = 5


def put_traits(ledger: Ledger, provider: Provider, generation: int | None, *traits: str) -> ProviderTraits:
    command = SetProviderTraits(provider=provider.uuid, generation=generation, traits=traits)
    return ledger.runner.write(set_provider_traits, SERVICE, command)


def move(ledger: Ledger, provider: Provider, parent: Provider | None) -> Provider:
    command = ChangeProvider(
        uuid=provider.uuid, name=provider.name, parent=parent.uuid if parent else None, may_move_again=True
    )
    return ledger.runner.write(change_provider, SERVICE, command)


def test_one_of_concurrent_trait_writes_with_the_same_generation_succeeds(ledger: Ledger) -> None:
    for number in range(CROWD):
        ledger.runner.write(ensure_trait, SERVICE, f"CUSTOM_{number}")
    for _ in range(ROUNDS):
        provider = make(ledger)
        answers = all_at_once(CROWD, lambda n, provider=provider: put_traits(ledger, provider, 0, f"CUSTOM_{n}"))
        winners = [answer for answer in answers if isinstance(answer, ProviderTraits)]
        assert len(winners) == 1, answers
        assert all(isinstance(answer, ProviderTraits | ProviderGenerationConflict) for answer in answers), answers
        found = ledger.runner.read(list_provider_traits, SERVICE, provider.uuid)
        assert (found.traits, found.generation) == (winners[0].traits, 1)


def test_one_of_concurrent_inventory_writes_with_the_same_generation_succeeds(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        provider = make(ledger)

        def put(number: int, provider: Provider = provider) -> ProviderInventories:
            command = SetInventories(provider=provider.uuid, generation=0, sizes={"VCPU": sizes(number + 1)})
            return ledger.runner.write(set_inventories, SERVICE, command)

        answers = all_at_once(CROWD, put)
        winners = [answer for answer in answers if isinstance(answer, ProviderInventories)]
        assert len(winners) == 1, answers
        assert all(isinstance(answer, ProviderInventories | ProviderGenerationConflict) for answer in answers), answers
        found = ledger.runner.read(list_inventories, SERVICE, provider.uuid)
        assert found.inventories["VCPU"].total == winners[0].inventories["VCPU"].total


def test_concurrent_writes_without_a_generation_all_succeed(ledger: Ledger) -> None:
    provider = make(ledger)
    names = [str(uuid.uuid4()) for _ in range(CROWD)]

    def put(number: int) -> ProviderAggregates:
        command = SetAggregates(provider=provider.uuid, generation=None, aggregates=tuple(names))
        stock(ledger, provider, VCPU=number + 1)
        return ledger.runner.write(set_aggregates, SERVICE, command)

    answers = all_at_once(CROWD, put)
    assert all(isinstance(answer, ProviderAggregates) for answer in answers), answers
    assert now(ledger, provider).generation == CROWD


def test_one_of_concurrent_providers_with_the_same_name_is_created(ledger: Ledger) -> None:
    def create(number: int) -> Provider:
        return ledger.runner.write(create_provider, SERVICE, CreateProvider(uuid=str(uuid.uuid4()), name="same"))

    answers = all_at_once(CROWD, create)
    assert sum(isinstance(answer, Provider) for answer in answers) == 1, answers
    assert all(isinstance(answer, Provider | ProviderExists) for answer in answers), answers


def test_concurrent_moves_of_two_providers_below_each_other_make_no_loop(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        pair = make(ledger), make(ledger)
        answers = all_at_once(2, lambda n, pair=pair: move(ledger, pair[n], pair[1 - n]))
        assert sum(isinstance(answer, Provider) for answer in answers) == 1, answers
        assert sum(isinstance(answer, BadParent) for answer in answers) == 1, answers


def test_trees_that_move_while_children_are_created_keep_one_root(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        roots = make(ledger), make(ledger)
        moving = make(ledger, parent=roots[0])
        middle = make(ledger, parent=moving)

        def act(
            number: int, roots: tuple[Provider, ...] = roots, top: Provider = moving, low: Provider = middle
        ) -> None:
            if number % 2:
                make(ledger, parent=low)
            else:
                move(ledger, top, (*roots, None)[number // 2 % 3])

        answers = all_at_once(CROWD, act)
        assert answers == [None] * CROWD
        assert_roots_are_consistent(ledger)


def assert_roots_are_consistent(ledger: Ledger) -> None:
    listed = ledger.runner.read(list_providers, SERVICE, ProviderQuery())
    parents = {provider: parent for provider, _, _, parent, _, _ in listed}
    for provider, _, _, _, root, _ in listed:
        top = provider
        while (parent := parents[top]) is not None:
            top = parent
        assert (root or provider) == top


def test_provider_is_either_deleted_or_gets_a_child(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        parent = make(ledger)

        def act(number: int, parent: Provider = parent) -> None:
            if number:
                make(ledger, parent=parent)
            else:
                ledger.runner.write(delete_provider, SERVICE, parent.uuid)

        removal, *creations = all_at_once(4, act)
        if removal is None:
            assert all(isinstance(creation, BadParent) for creation in creations), creations
        else:
            assert isinstance(removal, ProviderHasChildren), removal
        assert all(creation is None or isinstance(creation, BadParent) for creation in creations), creations


def test_inventory_is_either_removed_or_claimed(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        provider = make(ledger, VCPU=CROWD)

        def act(number: int, provider: Provider = provider) -> str | None:
            if number:
                return claim(ledger, provider, VCPU=1)
            ledger.runner.write(remove_inventories, SERVICE, provider.uuid)
            return None

        removal, *claims = all_at_once(CROWD, act)
        granted = sum(isinstance(each, str) for each in claims)
        found = ledger.runner.read(list_inventories, SERVICE, provider.uuid).inventories
        if removal is None:
            assert (granted, found) == (0, {})
        else:
            assert isinstance(removal, InventoryInUse), removal
            assert found["VCPU"].used == granted == CROWD - 1


def test_resource_class_is_never_deleted_under_a_new_inventory(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        ledger.runner.write(ensure_resource_class, SERVICE, "CUSTOM_GOLD")
        providers = [make(ledger) for _ in range(4)]

        def act(number: int, providers: list[Provider] = providers) -> None:
            if number < len(providers):
                stock(ledger, providers[number], CUSTOM_GOLD=1)
            else:
                ledger.runner.write(delete_resource_class, SERVICE, "CUSTOM_GOLD")

        answers = all_at_once(len(providers) + 1, act)
        allowed = (type(None), ResourceClassNotFound, ResourceClassInUse)
        assert all(isinstance(answer, allowed) for answer in answers), answers
        for provider in providers:
            stock(ledger, provider)


def test_trait_is_never_deleted_under_a_provider_that_gets_it(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        ledger.runner.write(ensure_trait, SERVICE, "CUSTOM_GOLD")
        providers = [make(ledger) for _ in range(4)]

        def act(number: int, providers: list[Provider] = providers) -> None:
            if number < len(providers):
                put_traits(ledger, providers[number], 0, "CUSTOM_GOLD")
            else:
                ledger.runner.write(delete_trait, SERVICE, "CUSTOM_GOLD")

        answers = all_at_once(len(providers) + 1, act)
        assert all(isinstance(answer, type(None) | NoSuchTrait | TraitInUse) for answer in answers), answers
        for provider in providers:
            put_traits(ledger, provider, None)


def test_concurrent_creations_of_the_same_names_all_succeed(ledger: Ledger) -> None:
    def act(number: int) -> None:
        provider = make(ledger)
        ledger.runner.write(ensure_resource_class, SERVICE, "CUSTOM_NEW")
        ledger.runner.write(ensure_trait, SERVICE, "CUSTOM_NEW")
        stock(ledger, provider, CUSTOM_NEW=1, VCPU=1, DISK_GB=1)
        put_traits(ledger, provider, None, "CUSTOM_NEW", "HW_CPU_X86_VMX")

    assert all_at_once(CROWD, act) == [None] * CROWD
