"""Fair share in tests."""

from dibs.access.access import SERVICE
from dibs.quotas.model.shares import Share
from dibs.quotas.operations.shares import SetWeight, set_weight
from dibs.quotas.queries import shares
from dibs.wiring.hooks import build_hooks, build_runner
from tests.builders import Ledger

HALF_LIFE_SECONDS = 3_600


def share_fairly(ledger: Ledger) -> None:
    """Let fair share decide the order of the queue from now on."""
    hooks = build_hooks(fair_share_half_life_seconds=HALF_LIFE_SECONDS)
    ledger.runner = build_runner(ledger.store, ledger.clock, hooks=hooks)


def weigh(ledger: Ledger, project: str, weight: int | None) -> None:
    """Set the weight of a project."""
    ledger.runner.write(set_weight, SERVICE, SetWeight(project=project, weight=weight))


def share_of(ledger: Ledger, project: str) -> Share:
    """Return the share of a project as it was last counted."""
    return ledger.store.read(lambda tx: shares.get_many(tx, [project])).get(project, Share(project=project))
