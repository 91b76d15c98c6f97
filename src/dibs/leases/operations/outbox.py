"""Errands to services outside: what is to be done, by whom just now, and what follows when it is done.

Nothing is called in here. A conductor takes an errand, makes the call with no transaction open, and then says how it
went; when it dies in between, the errand is due again after a while, for any conductor.
"""

from dataclasses import dataclass

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.leases.model.leases import STARTING, TERMINATED
from dibs.leases.model.outbox import CALL_SECONDS, CLEAR_UP, OPEN_FLAVORS, Errand, pause_after
from dibs.leases.operations.events import end_now, finish_start
from dibs.leases.queries import leases
from dibs.leases.queries import outbox as errands


@dataclass(frozen=True, slots=True, kw_only=True)
class ListErrands:
    """Some of what is to be done now."""

    count_max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeErrand:
    """Keep others from an errand while it is done."""

    errand: Errand


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishErrand:
    """It is done."""

    errand: Errand


@dataclass(frozen=True, slots=True, kw_only=True)
class PutOffErrand:
    """It is not done yet."""

    errand: Errand
    problem: str | None = None
    """What went wrong; None when it only takes its time."""


def list_errands(tx: Transaction, access: Access, now: int, command: ListErrands) -> list[Errand]:
    """What is to be done now; errands of one lease come one after the other."""
    return errands.due(tx, now, command.count_max)


def take_errand(tx: Transaction, access: Access, now: int, command: TakeErrand) -> bool:
    """Take an errand; False when somebody else was faster."""
    return errands.take(tx, command.errand, now + CALL_SECONDS * 1_000_000)


def finish_errand(tx: Transaction, access: Access, now: int, command: FinishErrand) -> None:
    """Note that an errand is done, and let its lease go on."""
    errand = command.errand
    lease = leases.lock(tx, errand.lease)
    if not errands.remove(tx, errand.id) or lease is None:
        return
    if errand.kind == OPEN_FLAVORS and lease.status == STARTING:
        finish_start(tx, now, lease)
    if errand.kind == CLEAR_UP:
        if lease.status != TERMINATED:
            lease = end_now(tx, now, lease)
        if errand.arguments["forget"]:
            leases.remove(tx, lease)


def put_off_errand(tx: Transaction, access: Access, now: int, command: PutOffErrand) -> None:
    """Let an errand be tried again after a pause, which grows each time."""
    errand = command.errand
    errands.put_off(tx, errand.id, now + pause_after(errand.attempts), command.problem)
