"""The life of an outbox call: due, taken by one conductor, then done or postponed.

No operation calls a service. A conductor takes a call, makes it with no transaction open, and records the result. When
the conductor fails in between, the call is due again after CALL_SECONDS, and any conductor may take it.
"""

from msgspec import Struct

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.leases.model.leases import STARTING, TERMINATED
from dibs.leases.model.outbox import CALL_SECONDS, CLEAN_UP, GRANT_FLAVORS, OutboxCall, pause_after
from dibs.leases.model.windows import SECOND
from dibs.leases.operations.events import end_now
from dibs.leases.operations.starting.starts import finish_start
from dibs.leases.queries import leases, outbox


class PostponeOutboxCall(Struct, frozen=True, kw_only=True):
    """Record that a call has to be made again."""

    call: OutboxCall
    problem: str | None = None
    """Why the call failed; None when the service is still working on it."""


def list_outbox_calls(tx: Transaction, access: Access, now: int, count_max: int) -> list[OutboxCall]:
    """Return calls that are due; of each lease only the first."""
    return outbox.due(tx, now, count_max)


def take_outbox_call(tx: Transaction, access: Access, now: int, call: OutboxCall) -> bool:
    """Keep other conductors from a call while this one makes it; return False when another took it first."""
    return outbox.take(tx, call, now + CALL_SECONDS * SECOND)


def finish_outbox_call(tx: Transaction, access: Access, now: int, call: OutboxCall) -> None:
    """Remove a call that succeeded, and take its lease to the next state."""
    lease = leases.lock(tx, call.lease)
    if not outbox.remove(tx, call.id) or lease is None:
        return
    if call.kind == GRANT_FLAVORS and lease.status == STARTING:
        finish_start(tx, now, [lease])
    if call.kind == CLEAN_UP:
        if lease.status != TERMINATED:
            lease = end_now(tx, now, lease)
        if call.arguments["forget"]:
            leases.remove(tx, lease)


def postpone_outbox_call(tx: Transaction, access: Access, now: int, command: PostponeOutboxCall) -> None:
    """Make a call due again after a pause, which doubles with each attempt."""
    call = command.call
    outbox.postpone(tx, call.id, now + pause_after(call.attempts), command.problem)
