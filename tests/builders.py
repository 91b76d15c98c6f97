"""Build the objects that most tests need: access, a clock, and nodes in a ledger."""

import itertools
import uuid
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from dibs.access.access import SERVICE, Access, EveryRule
from dibs.access.actor import Actor
from dibs.access.rules import RuleBook
from dibs.database import Store
from dibs.database.transaction import Transaction
from dibs.documents.json_patch import Patch, PatchOperation
from dibs.ledger.queries import providers, traits
from dibs.machines.model import states
from dibs.machines.model.nodes import Node
from dibs.machines.operations.conductors import RegisterConductor, register_conductor
from dibs.machines.operations.node_traits import SetTraits, set_traits
from dibs.machines.operations.nodes import CreateNode, UpdateNode, create_node, update_node
from dibs.machines.queries import nodes
from dibs.wiring.hooks import build_runner

Result = TypeVar("Result")

FIRST_INSTANT = 1_800_000_000_000_000


def trusted(**actor: Any) -> Access:
    """Return the access of a caller to whom the policy grants every rule."""
    return Access(actor=Actor(**actor), rules=EveryRule())


def granted(*rules: str, **actor: Any) -> Access:
    """Return the access of a caller to whom the policy grants only these rules, on every target."""
    return Access(actor=Actor(**actor), rules=RuleBook(dict.fromkeys(rules, "@")))


def patch_of(changes: Mapping[str, Any]) -> Patch:
    """Return the JSON patch that sets these attributes."""
    return tuple(PatchOperation("add", f"/{name}", value) for name, value in changes.items())


class Clock:
    """A clock that advances one microsecond per reading, so that times show the order, and further on demand."""

    def __init__(self) -> None:
        self._ticks = itertools.count()
        self.moved = 0

    def __call__(self) -> int:
        return FIRST_INSTANT + next(self._ticks) + self.moved

    def move(self, seconds: float) -> None:
        """Advance the clock, or set it back."""
        self.moved += int(seconds * 1_000_000)


class Ledger:
    """A store with a registered conductor, and methods to create, change and read nodes."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.clock = Clock()
        self.runner = build_runner(store, self.clock)
        self.revive_conductor()

    def run(self, body: Callable[[Transaction], Result]) -> Result:
        """Run a function of the transaction with all hooks, as an operation runs."""
        return self.runner.write(lambda tx, access, now, command: body(tx), SERVICE, None)

    def revive_conductor(self) -> None:
        """Register the conductor; call again after the clock passed the conductor's timeout."""
        self.runner.write(
            register_conductor,
            SERVICE,
            RegisterConductor(
                hostname="conductor-1", group="", drivers=("fake-hardware",), incarnation=str(uuid.uuid4())
            ),
        )

    def enrol(self, *, state: str = states.AVAILABLE, with_traits: tuple[str, ...] = (), **values: Any) -> Node:
        """Create a node that is available and whose power state is known, unless the test says otherwise."""
        command = CreateNode(
            uuid=values.pop("uuid", str(uuid.uuid4())),
            values={"driver": "fake-hardware", "power_state": states.POWER_OFF, **values},
            provision_state=state,
        )
        node = self.runner.write(create_node, SERVICE, command).node
        if with_traits:
            self.runner.write(set_traits, SERVICE, SetTraits(ident=node.uuid, rules=(), traits=with_traits))
        return node

    def change(self, node: Node, **changes: Any) -> Node:
        """Change attributes of a node as its owner does."""
        command = UpdateNode(ident=node.uuid, rules=(), patch=patch_of(changes))
        return self.runner.write(update_node, SERVICE, command).node

    def node(self, node: Node) -> Node:
        """Return the node as it is now."""
        found = self.store.read(lambda tx: nodes.get(tx, node.uuid))
        assert found is not None
        return found

    def unit(self, node: Node) -> Mapping[str, Any] | None:
        """Return the inventory of a node (class, reserved, used), or None when it has none."""
        rows = self.store.read(lambda tx: providers.inventory(tx, node.id))
        assert len(rows) <= 1
        return {name: rows[0][name] for name in ("resource_class", "reserved", "used")} if rows else None

    def traits(self, node: Node) -> list[str]:
        """Return the traits of a node."""
        return self.store.read(lambda tx: traits.of_provider(tx, node.id))
