"""Runs one use case in one transaction."""

from collections.abc import Callable
from typing import TypeVar

from dibs.access.access import Access
from dibs.database import Store
from dibs.database.transaction import Transaction

Command = TypeVar("Command")
Result = TypeVar("Result")
UseCase = Callable[[Transaction, Access, int, Command], Result]
Clock = Callable[[], int]


class Runner:
    """The one door from the dialects and the conductor to the ledger."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._free_node_listeners: list[Callable[[], None]] = []

    def read(self, use_case: UseCase[Command, Result], access: Access, command: Command) -> Result:
        """Run a use case that changes nothing, on the state of one moment."""
        return self._store.read(lambda tx: use_case(tx, access, self._clock(), command))

    def write(self, use_case: UseCase[Command, Result], access: Access, command: Command) -> Result:
        """Run a use case that may change things. It commits whole, or it raises and leaves no trace."""
        frees = False

        def run(tx: Transaction) -> Result:
            # The clock is read anew at each attempt: a transaction that waited must not write an old time.
            nonlocal frees
            result = use_case(tx, access, self._clock(), command)
            frees = tx.frees
            return result

        result = self._store.write(run)
        if frees:
            for listener in self._free_node_listeners:
                listener()
        return result

    def when_a_node_may_be_free(self, listener: Callable[[], None]) -> None:
        """Call somebody after each commit of this runner that may have freed a node: a conductor in this process."""
        self._free_node_listeners.append(listener)
