"""Providers: names, trees, and removal."""

import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.ledger.model.errors import (
    BadParent,
    ProviderExists,
    ProviderHasChildren,
    ProviderInUse,
    ProviderNotFound,
    ProviderOwnedByNode,
)
from dibs.ledger.model.providers import Provider
from dibs.ledger.operations.providers import (
    UNMOVED,
    ChangeProvider,
    CreateProvider,
    Unmoved,
    change_provider,
    create_provider,
    delete_provider,
    get_provider,
)
from dibs.ledger.queries.structure import bucket_of
from dibs.machines.operations.nodes import delete_node
from tests.builders import Ledger
from tests.provider_builders import claim, join_aggregates, make, now, set_traits, statements

UNKNOWN = "99999999-9999-4999-8999-999999999999"
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
    return ledger.runner.read(get_provider, SERVICE, uuid)


def delete(ledger: Ledger, provider: Provider) -> None:
    ledger.runner.write(delete_provider, SERVICE, provider.uuid)


def test_a_new_provider_is_the_root_of_its_own_tree(ledger: Ledger) -> None:
    provider = make(ledger, "alone")
    assert (provider.name, provider.generation, provider.parent, provider.root) == ("alone", 0, None, provider.uuid)


def test_a_child_has_the_root_of_its_parent(ledger: Ledger) -> None:
    root = make(ledger)
    child = make(ledger, parent=root)
    grandchild = make(ledger, parent=child)
    assert (grandchild.parent, grandchild.root) == (child.uuid, root.uuid)


@pytest.mark.parametrize(("field", "value"), [("name", "taken"), ("uuid", UNKNOWN)])
def test_names_and_uuids_are_unique(ledger: Ledger, field: str, value: str) -> None:
    values = {"uuid": UNKNOWN, "name": "taken"}
    ledger.runner.write(create_provider, SERVICE, CreateProvider(**values))
    other = {"uuid": str(uuid.uuid4()), "name": "other", field: value}
    with pytest.raises(ProviderExists, match=f"{field}: {value}"):
        ledger.runner.write(create_provider, SERVICE, CreateProvider(**other))


def test_the_name_of_a_node_is_taken(ledger: Ledger) -> None:
    ledger.enrol(name="machine")
    with pytest.raises(ProviderExists, match="machine"):
        make(ledger, "machine")


@pytest.mark.parametrize("parent", [UNKNOWN, "itself"])
def test_a_parent_must_exist_and_be_another_provider(ledger: Ledger, parent: str) -> None:
    identity = str(uuid.uuid4())
    command = CreateProvider(uuid=identity, name="x", parent=identity if parent == "itself" else parent)
    with pytest.raises(BadParent):
        ledger.runner.write(create_provider, SERVICE, command)


def test_a_rename_keeps_the_generation(ledger: Ledger) -> None:
    provider = make(ledger, "before")
    after = change(ledger, provider, name="after")
    assert (after.name, after.generation) == ("after", 0)
    with pytest.raises(ProviderExists):
        change(ledger, make(ledger, "third"), name="after")


def test_a_provider_moves_with_its_subtree(ledger: Ledger) -> None:
    old, new = make(ledger), make(ledger)
    moving = make(ledger, parent=old)
    child = make(ledger, parent=moving)
    staying = make(ledger, parent=old)
    moved = change(ledger, moving, parent=new.uuid)
    assert (moved.parent, moved.root) == (new.uuid, new.uuid)
    assert now(ledger, child).root == new.uuid
    assert now(ledger, staying).root == old.uuid


def test_a_provider_without_a_parent_is_the_root_of_its_subtree(ledger: Ledger) -> None:
    root = make(ledger)
    leaving = make(ledger, parent=root)
    child = make(ledger, parent=leaving)
    assert change(ledger, leaving, parent=None).root == leaving.uuid
    assert now(ledger, child).root == leaving.uuid


def test_a_move_that_makes_a_loop_is_refused(ledger: Ledger) -> None:
    root = make(ledger)
    child = make(ledger, parent=root)
    grandchild = make(ledger, parent=child)
    for top, parent in ((root, root), (root, grandchild), (child, grandchild)):
        with pytest.raises(BadParent, match="loop"):
            change(ledger, top, parent=parent.uuid)
    assert now(ledger, grandchild).root == root.uuid


def test_a_provider_that_may_not_move_again_keeps_its_first_parent(ledger: Ledger) -> None:
    provider, first, second = make(ledger), make(ledger), make(ledger)
    change(ledger, provider, parent=first.uuid, may_move_again=False)
    change(ledger, provider, parent=first.uuid, may_move_again=False)
    with pytest.raises(BadParent, match="re-parenting"):
        change(ledger, provider, parent=second.uuid, may_move_again=False)
    with pytest.raises(BadParent, match="un-parenting"):
        change(ledger, provider, parent=None, may_move_again=False)
    with pytest.raises(BadParent, match="does not exist"):
        change(ledger, second, parent=UNKNOWN)


def test_a_provider_with_children_or_claims_cannot_be_deleted(ledger: Ledger) -> None:
    root = make(ledger)
    child = make(ledger, parent=root, VCPU=4)
    claim(ledger, child, VCPU=1)
    with pytest.raises(ProviderHasChildren):
        delete(ledger, root)
    with pytest.raises(ProviderInUse):
        delete(ledger, child)


def test_a_deleted_provider_is_gone_with_its_inventories_traits_and_aggregates(ledger: Ledger) -> None:
    provider = make(ledger, VCPU=4)
    set_traits(ledger, provider, "HW_CPU_X86_VMX")
    join_aggregates(ledger, provider, AGGREGATE)
    delete(ledger, provider)
    for operation in (get_provider, delete_provider):
        with pytest.raises(ProviderNotFound):
            ledger.runner.write(operation, SERVICE, provider.uuid)


def test_the_provider_of_a_node_cannot_be_changed_and_the_error_names_the_node(ledger: Ledger) -> None:
    node = ledger.enrol(name="rack-1", resource_class="gold")
    provider = get(ledger, node.uuid)
    with pytest.raises(ProviderOwnedByNode, match="rack-1"):
        change(ledger, provider, name="mine")
    with pytest.raises(ProviderOwnedByNode, match="rack-1"):
        delete(ledger, provider)
    with pytest.raises(ProviderOwnedByNode, match="rack-1"):
        set_traits(ledger, provider, "HW_CPU_X86_VMX")


def test_a_node_may_be_part_of_a_tree(ledger: Ledger) -> None:
    node, root = ledger.enrol(name="rack-1"), make(ledger)
    provider = get(ledger, node.uuid)
    assert change(ledger, provider, parent=root.uuid).root == root.uuid
    assert make(ledger, parent=provider).root == root.uuid


def test_moving_a_large_subtree_takes_as_many_statements_as_a_small_one(ledger: Ledger) -> None:
    counts = set()
    for children in (1, 30):
        top = make(ledger)
        # Two trees of one bucket of the structure need one lock less.
        other = next(tree for tree in iter(lambda: make(ledger), None) if bucket_of(tree.uuid) != bucket_of(top.uuid))
        for _ in range(children):
            make(ledger, parent=top)
        counts.add(statements(ledger, lambda top=top, other=other: change(ledger, top, parent=other.uuid)))
    assert len(counts) == 1


def test_a_node_with_claims_or_child_providers_cannot_be_deleted(ledger: Ledger) -> None:
    claimed, parent = ledger.enrol(resource_class="gold"), ledger.enrol()
    claim(ledger, get(ledger, claimed.uuid), CUSTOM_GOLD=1)
    make(ledger, parent=get(ledger, parent.uuid))
    for node, reason in ((claimed, ProviderInUse), (parent, ProviderHasChildren)):
        with pytest.raises(reason, match=node.uuid):
            ledger.runner.write(delete_node, SERVICE, node.uuid)


def test_deleting_an_unclaimed_node_deletes_its_provider(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold")
    ledger.runner.write(delete_node, SERVICE, node.uuid)
    with pytest.raises(ProviderNotFound):
        get(ledger, node.uuid)
