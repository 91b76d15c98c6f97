"""Runs one operation in one transaction, at a time that all processes share."""

import copy
import logging
import threading
import time
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct

from dibs.access.access import Access
from dibs.access.actor import Actor
from dibs.access.decisions import run_decided
from dibs.access.request_id import NO_REQUEST, REQUEST_ID
from dibs.database import Store
from dibs.database.columns import CLEAR, Vault
from dibs.database.errors import DeadlinePassed, StoreContended, StoreUnavailable
from dibs.database.hooks import Hooks
from dibs.database.transaction import Transaction
from dibs.errors import DibsError

Command = TypeVar("Command")
Result = TypeVar("Result")
Operation = Callable[[Transaction, Access, int, Command], Result]
Clock = Callable[[], int]


CLOCK_INTERVAL_SECONDS = 10.0
"""How often the time of the database is read."""
AHEAD_MAX = 1_000_000
BEHIND_MAX = 100_000
"""Smaller differences, in microseconds, are left: most of it is the time that the reading took."""

logger = logging.getLogger(__name__)


def _nothing() -> None:
    """Do nothing: the default observer."""


class Cause(Struct, frozen=True, kw_only=True):
    """Why a transaction changes rows."""

    actor: Actor
    request_id: str | None
    """None outside requests: a conductor acts by itself."""
    operation: str
    """The name of the operation."""


class CommitHook(ABC):
    """Completes a transaction with what its operation recorded. The wiring registers the implementation."""

    @abstractmethod
    def before_commit(self, tx: Transaction, now: int, cause: Cause) -> None:
        """Write what was recorded; called only when something was."""


class Runner:
    """Runs every operation of dialects and conductors."""

    def __init__(self, store: Store, clock: Clock, hooks: Hooks, vault: Vault = CLEAR) -> None:
        self._store = store
        self._clock = clock
        self._hooks = hooks
        self._vault = vault
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
        try:
            return run_decided(
                access,
                lambda decided: self._store.read(
                    lambda tx: self._run(tx, operation, decided, command), _name_of(operation)
                ),
            )
        except DibsError as error:
            self._store.statistics.refused(error)
            raise

    def write(
        self, operation: Operation[Command, Result], access: Access, command: Command, *, deadline: int | None = None
    ) -> Result:
        """Run an operation that may change rows. It either commits completely or raises and changes nothing.

        After ``deadline`` it raises DeadlinePassed instead of committing. The caller that set the deadline may then
        let another process run the operation: see docs/adr/0020.
        """
        self._observe()
        try:
            return run_decided(access, lambda decided: self._write(operation, decided, command, deadline))
        except DibsError as error:
            self._store.statistics.refused(error)
            raise

    def _write(
        self, operation: Operation[Command, Result], access: Access, command: Command, deadline: int | None
    ) -> Result:
        events: list[object] = []
        request_id = REQUEST_ID.get()
        cause = Cause(
            actor=access.actor,
            request_id=None if request_id == NO_REQUEST else request_id,
            operation=_name_of(operation),
        )

        def run(tx: Transaction) -> Result:
            nonlocal events
            result = self._run(tx, operation, access, command, cause)
            # After the operation: its rows are locked now, so another process cannot run it before this one ends.
            if deadline is not None and self._clock() > deadline:
                raise DeadlinePassed
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

    def _run(
        self,
        tx: Transaction,
        operation: Operation[Command, Result],
        access: Access,
        command: Command,
        cause: Cause | None = None,
    ) -> Result:
        tx.hooks = self._hooks
        tx.vault = self._vault
        # Each attempt reads the clock, so that a transaction that waited does not write an old time.
        now = self._clock()
        result = operation(tx, access, now, command)
        if tx.recorded and cause is not None:
            for hook in self._hooks.every(CommitHook):  # type: ignore[type-abstract]
                hook.before_commit(tx, now, cause)
        return result


class DatabaseClock:
    """Returns the time of the database in microseconds since 1970 UTC; that of the machine until it was read.

    Processes compare times that other processes wrote: heartbeats, expiry, due work. So they all take the time from the
    database that they share. Between two readings a process measures with its monotonic clock, so that setting the
    clock of its machine changes nothing.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._offset = time.time_ns() // 1_000 - _monotonic()
        self._read = False
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def __call__(self) -> int:
        return _monotonic() + self._offset

    def start(self) -> None:
        """Read the time of the database now and from time to time; a second start does nothing."""
        if self._thread is None:
            self._try_to_read()
            self._thread = threading.Thread(target=self._read_until_stopped, name="dibs-clock", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Read the time of the database no more."""
        self._stopping.set()

    def read(self) -> None:
        """Take over the time of the database, unless the difference is small."""
        before = _monotonic()
        (now,) = self._store.read(lambda tx: tx.values(self._store.engine.clock))
        offset = int(now) - (before + _monotonic()) // 2
        difference = offset - self._offset
        if self._read and -AHEAD_MAX < difference < BEHIND_MAX:
            return
        if abs(difference) > AHEAD_MAX:
            logger.warning("the clock is set by %+.1f seconds, to the time of the database", difference / 1e6)
        self._offset, self._read = offset, True

    def _read_until_stopped(self) -> None:
        while not self._stopping.wait(CLOCK_INTERVAL_SECONDS):
            self._try_to_read()

    def _try_to_read(self) -> None:
        try:
            self.read()
        except (StoreUnavailable, StoreContended):
            # The store logs the lost connection; the monotonic clock goes on meanwhile.
            return
        except Exception:
            logger.exception("cannot read the time of the database")


def _name_of(operation: Operation[Command, Result]) -> str:
    return getattr(operation, "__name__", type(operation).__name__)


def _monotonic() -> int:
    return time.monotonic_ns() // 1_000
