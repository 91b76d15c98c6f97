"""Runs one use case in one transaction."""

from collections.abc import Callable
from typing import TypeVar

from dibs.domain.actor import Actor
from dibs.store import Store
from dibs.store.transaction import Transaction

Command = TypeVar("Command")
Result = TypeVar("Result")
UseCase = Callable[[Transaction, Actor, int, Command], Result]
Clock = Callable[[], int]


class Runner:
    """The one door from the dialects and the conductor to the ledger."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def read(self, use_case: UseCase[Command, Result], actor: Actor, command: Command) -> Result:
        """Run a use case that changes nothing, on the state of one moment."""
        return self._store.read(self._bind(use_case, actor, command))

    def write(self, use_case: UseCase[Command, Result], actor: Actor, command: Command) -> Result:
        """Run a use case that may change things. It commits whole, or it raises and leaves no trace."""
        return self._store.write(self._bind(use_case, actor, command))

    def _bind(
        self, use_case: UseCase[Command, Result], actor: Actor, command: Command
    ) -> Callable[[Transaction], Result]:
        # The clock is read anew at each attempt: a transaction that waited must not write an old time.
        return lambda tx: use_case(tx, actor, self._clock(), command)
