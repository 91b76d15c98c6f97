"""Rounds of work: the failure of one piece concerns that piece only, and the next round tries it again."""

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress

from dibs.conductor.session import Session
from dibs.database.errors import StoreContended, StoreUnavailable

logger = logging.getLogger(__name__)

Step = Callable[[Session], object]
"""Looks for one kind of work and starts it. Long work runs in a thread pool of the step."""


def run_steps(steps: Iterable[Step], session: Session) -> None:
    """Run the steps one after the other; contention on one kind of work does not delay the others."""
    for step in steps:
        with suppress(StoreContended):
            step(session)


def attempt(what: str, work: Callable[[], bool], after_failure: Callable[[], object] | None = None) -> bool:
    """Do one piece of work; return what it returns, or False when it failed. Without a database, the round ends.

    ``what`` names the piece in the log. ``after_failure`` runs after an unexpected error, not after contention.
    """
    try:
        return work()
    except StoreUnavailable:
        raise
    except StoreContended:
        logger.debug("%s waits: another transaction is in the way", what)
    except Exception:
        logger.exception("%s failed", what)
        if after_failure is not None:
            with suppress(StoreContended):
                after_failure()
    return False
