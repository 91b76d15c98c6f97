"""Check quotas before the commit of every transaction that lets a project use more (docs/adr/0017).

The recorded events tell which projects those are, so no path can forget the check. The guard locks the quota of each
project, and only then reads what the project uses: the transaction that had the lock before has committed by then. A
project without a quota has nothing to lock.
"""

from dibs.database.runner import Cause, CommitHook
from dibs.database.transaction import Transaction
from dibs.events.model.events import Event, merge
from dibs.ledger.operations.claims import replace_claims
from dibs.ledger.operations.reshaping import reshape
from dibs.quotas.model.growth import growth_of
from dibs.quotas.operations.limits import limits_of
from dibs.quotas.operations.sources import read_rooms

_PLACEMENT = (replace_claims.__name__, reshape.__name__)
"""The operations by which clients of Placement claim."""


class QuotaGuard(CommitHook):
    """Refuses transactions that exceed a quota."""

    def __init__(self, *, placement: bool = False) -> None:
        self._placement = placement
        """Whether the claims of Placement's clients are checked too."""

    def before_commit(self, tx: Transaction, now: int, cause: Cause) -> None:
        """Raise QuotaExceeded when the transaction exceeds a quota. Without quotas this takes one statement."""
        claims = self._placement or cause.operation not in _PLACEMENT
        grown = growth_of(merge(event for event in tx.recorded if isinstance(event, Event)), claims=claims)
        projects = sorted(grown)
        if not projects or not limits_of(tx).lock(tx, now, projects):
            return
        for project, room in sorted(read_rooms(tx, now, projects).items()):
            room.check(grown[project].holders, grown[project].queued)
