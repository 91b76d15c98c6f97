"""Guards of the ledger: each is registered, called for every change that it may refuse, and called under the locks."""

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy import select

import dibs
from dibs.access.access import SERVICE
from dibs.database.hooks import NO_HOOKS, Hooks
from dibs.database.runner import Runner
from dibs.database.transaction import Transaction
from dibs.errors import BadValue
from dibs.events.operations.recording import EventRecorder
from dibs.leases.operations.uses import LeaseUses
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.model.providers import Provider
from dibs.ledger.operations.claims import ReplaceClaims, release_claims, replace_claims
from dibs.ledger.operations.guards import ClaimChange, LedgerGuard, ReleasedClaim
from dibs.ledger.operations.inventories import GetInventory, remove_inventory
from dibs.ledger.operations.provider_traits import SetProviderTraits, set_provider_traits
from dibs.ledger.operations.providers import (
    ChangeProvider,
    change_provider,
    delete_provider,
)
from dibs.ledger.operations.resource_classes import (
    RenameClass,
    create_resource_class,
    delete_resource_class,
    rename_resource_class,
)
from dibs.ledger.tables import providers
from dibs.machines.operations.guards import NodeGuard
from dibs.wiring.hooks import HOOKS
from tests.builders import Ledger
from tests.provider_builders import claim, make

SOURCE = Path(dibs.__path__[0])
GOLD = "CUSTOM_GOLD"
METHODS = [name for name in vars(LedgerGuard) if not name.startswith("_")]


class Scene(NamedTuple):
    """A provider with a claim, and a runner with other hooks than the wiring's."""

    runner: Runner
    provider: Provider
    consumer: str

    def run(self, operation: Callable[..., Any], command: Any) -> None:
        self.runner.write(operation, SERVICE, command)


class Call(NamedTuple):
    """One call of a guard, and the time at which the provider was last locked."""

    method: str
    arguments: tuple[Any, ...]
    locked_at: int | None


def scene(ledger: Ledger, *guards: LedgerGuard, with_claim: bool = False) -> Scene:
    provider = make(ledger, VCPU=4)
    consumer = claim(ledger, provider, VCPU=1) if with_claim else ""
    ledger.runner.write(create_resource_class, SERVICE, GOLD)
    return Scene(Runner(ledger.store, ledger.clock, Hooks(EventRecorder(), *guards)), provider, consumer)


def replace(at: Scene) -> None:
    request = ClaimRequest(consumer=at.provider.uuid, resources={at.provider.uuid: {"VCPU": 2}}, project_id="p")
    at.run(replace_claims, ReplaceClaims(requests=(request,)))


def release(at: Scene) -> None:
    at.run(release_claims, at.consumer)


def set_traits(at: Scene) -> None:
    command = SetProviderTraits(provider=at.provider.uuid, generation=None, traits=("HW_CPU_X86_AVX2",))
    at.run(set_provider_traits, command)


def remove_inventories(at: Scene) -> None:
    at.run(remove_inventory, GetInventory(provider=at.provider.uuid, resource_class="VCPU"))


def rename(at: Scene) -> None:
    at.run(change_provider, ChangeProvider(uuid=at.provider.uuid, name="renamed", may_move_again=True))


def delete(at: Scene) -> None:
    at.run(delete_provider, at.provider.uuid)


def rename_class(at: Scene) -> None:
    at.run(rename_resource_class, RenameClass(name=GOLD, new_name="CUSTOM_SILVER"))


def delete_class(at: Scene) -> None:
    at.run(delete_resource_class, GOLD)


CHANGES: dict[str, Callable[[Scene], None]] = {
    "check_claims": replace,
    "check_release": release,
    "claims_released": release,
    "check_ownership": set_traits,
    "check_offer": remove_inventories,
    "check_inventories": remove_inventories,
    "check_traits": set_traits,
    "check_removal": delete,
    "provider_renamed": rename,
    "check_class_rename": rename_class,
    "check_class_removal": delete_class,
}
"""A change for which the ledger calls each method of a guard."""


class Recorder(LedgerGuard):
    """Records every call."""

    def __init__(self) -> None:
        self.calls: list[Call] = []


def _recording(method: str) -> Callable[..., None]:
    def record(self: Recorder, tx: Transaction, *arguments: Any) -> None:
        locked = tx.values(select(providers.c.updated_at))
        self.calls.append(Call(method, arguments, locked[0]))

    return record


for _name in METHODS:
    setattr(Recorder, _name, _recording(_name))


def recorded(ledger: Ledger, method: str) -> tuple[Call, Scene, int]:
    """Make the change that a method is for; return the call, the scene, and the time before the change."""
    guard = Recorder()
    at = scene(ledger, guard, with_claim=CHANGES[method] is release)
    before = ledger.clock()
    CHANGES[method](at)
    (call,) = (call for call in guard.calls if call.method == method)
    return call, at, before


@pytest.mark.parametrize("method", METHODS)
def test_the_ledger_calls_every_method_of_a_guard(ledger: Ledger, method: str) -> None:
    call, _, _ = recorded(ledger, method)
    assert call.arguments


@pytest.mark.parametrize("method", [method for method in METHODS if "class" not in method])
def test_the_provider_is_locked_when_a_guard_is_called(ledger: Ledger, method: str) -> None:
    """The UPDATE that locks a provider writes the time of the transaction."""
    call, _, before = recorded(ledger, method)
    assert call.locked_at is not None
    assert call.locked_at > before


def test_a_guard_sees_the_claims_before_and_after_a_change(ledger: Ledger) -> None:
    call, at, _ = recorded(ledger, "check_claims")
    (change,) = call.arguments
    assert isinstance(change, ClaimChange)
    (request,) = change.requests
    assert request.resources == {at.provider.uuid: {"VCPU": 2}}
    assert change.keys[at.provider.uuid, "VCPU"].provider_id == at.provider.id
    assert change.before == {request.consumer: {}}


def test_a_guard_sees_the_consumer_and_the_provider_of_a_release(ledger: Ledger) -> None:
    call, at, _ = recorded(ledger, "check_release")
    assert call.arguments == ([ReleasedClaim(consumer=at.consumer, provider_id=at.provider.id)],)


@pytest.mark.parametrize(
    "change", [replace, set_traits, remove_inventories, delete, rename, rename_class, delete_class]
)
def test_an_operation_without_hooks_fails(ledger: Ledger, change: Callable[[Scene], None]) -> None:
    at = scene(ledger)._replace(runner=Runner(ledger.store, ledger.clock, NO_HOOKS))
    with pytest.raises(RuntimeError, match="No LedgerGuard is registered"):
        change(at)


class Refusing(LedgerGuard):
    """Refuses every change of claims."""

    def check_claims(self, tx: Transaction, change: ClaimChange) -> None:
        raise BadValue(reason="refused by the guard")


def test_a_change_that_one_of_several_guards_refuses_leaves_no_trace(ledger: Ledger) -> None:
    at = scene(ledger, LedgerGuard(), Refusing())
    with pytest.raises(BadValue, match="refused by the guard"):
        replace(at)
    assert ledger.store.read(lambda tx: tx.values(select(providers.c.generation))) == [at.provider.generation]


def implementations(kind: type) -> Iterator[type]:
    """Every class of dibs that implements a kind of hook, registered or not."""
    for path in SOURCE.glob("*/operations/*.py"):
        importlib.import_module(f"dibs.{path.parent.parent.name}.operations.{path.stem}")
    waiting = kind.__subclasses__()
    while waiting:
        found = waiting.pop()
        waiting += found.__subclasses__()
        if found.__module__.startswith("dibs."):
            yield found


@pytest.mark.parametrize("kind", [LedgerGuard, NodeGuard, LeaseUses])
def test_the_wiring_registers_every_implementation_of_a_hook(kind: type) -> None:
    registered = [type(hook) for hook in HOOKS.every(kind)]
    assert sorted(registered, key=str) == sorted(implementations(kind), key=str)
