"""Runs one operation in one transaction."""

import copy
from collections import defaultdict
from collections.abc import Callable
from typing import TypeVar

from dibs.access.access import Access
from dibs.database import Store
from dibs.database.hooks import Hooks
from dibs.database.transaction import Transaction

Command = TypeVar("Command")
Result = TypeVar("Result")
Operation = Callable[[Transaction, Access, int, Command], Result]
Clock = Callable[[], int]


def _nothing() -> None:
    """Do nothing: the default observer."""


class Runner:
    """Runs every operation of dialects and conductors."""

    def __init__(self, store: Store, clock: Clock, hooks: Hooks) -> None:
        self._store = store
        self._clock = clock
        self._hooks = hooks
        self._listeners: defaultdict[type, list[Callable[[], None]]] = defaultdict(list)
        self._observe = _nothing

    def observed(self, observe: Callable[[], None]) -> "Runner":
        """Return the same runner with a function that is called before each transaction."""
        other = copy.copy(self)
        other._observe = observe
        return other

    def read(self, operation: Operation[Command, Result], access: Access, command: Command) -> Result:
        """Run an operation that changes nothing, on one snapshot."""
        self._observe()
        return self._store.read(lambda tx: self._run(tx, operation, access, command))

    def write(self, operation: Operation[Command, Result], access: Access, command: Command) -> Result:
        """Run an operation that may change rows. It either commits completely or raises and changes nothing."""
        self._observe()
        events: list[object] = []

        def run(tx: Transaction) -> Result:
            nonlocal events
            result = self._run(tx, operation, access, command)
            events = tx.events
            return result

        result = self._store.write(run)
        for kind in dict.fromkeys(type(event) for event in events):
            for listener in self._listeners[kind]:
                listener()
        return result

    def subscribe(self, kind: type, listener: Callable[[], None]) -> None:
        """Call the listener after each commit of this runner that published an event of this kind."""
        self._listeners[kind].append(listener)

    def _run(self, tx: Transaction, operation: Operation[Command, Result], access: Access, command: Command) -> Result:
        tx.hooks = self._hooks
        # Each attempt reads the clock, so that a transaction that waited does not write an old time.
        return operation(tx, access, self._clock(), command)
