"""Does errands at services outside: takes one, makes the call with no transaction open, says how it went."""

import logging

from dibs.access.access import SERVICE
from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.database.runner import Runner
from dibs.leases.model.enforcement import Enforcement
from dibs.leases.model.outbox import CLEAR_UP, MAKE_FLAVORS, OPEN_FLAVORS, TELL_END, ComputeOutside, Errand
from dibs.leases.operations.outbox import (
    FinishErrand,
    ListErrands,
    PutOffErrand,
    TakeErrand,
    finish_errand,
    list_errands,
    put_off_errand,
    take_errand,
)

COUNT_MAX = 100
"""How many are looked at in one go."""

logger = logging.getLogger(__name__)


class NobodyThere(Exception):
    """A lease was made for a service that is not among the settings any more."""


class ErrandRunner:
    """Looks for errands and does them."""

    def __init__(self, runner: Runner, outside: ComputeOutside | None, enforcement: Enforcement | None = None) -> None:
        self._runner = runner
        self._outside = outside
        self._enforcement = enforcement

    def run(self) -> int:
        """Do what is due; gives how much was done."""
        due = self._runner.read(list_errands, SERVICE, ListErrands(count_max=COUNT_MAX))
        return sum(self._do(errand) for errand in due)

    def _do(self, errand: Errand) -> bool:
        if not self._runner.write(take_errand, SERVICE, TakeErrand(errand=errand)):
            return False
        problem = None
        try:
            done = self._call(errand)
        except (StoreUnavailable, StoreContended):
            raise
        except Exception as error:
            done, problem = False, f"{type(error).__name__}: {error}"
            logger.warning("%s for lease %s failed and is tried again: %s", errand.kind, errand.lease, problem)
        if done:
            self._runner.write(finish_errand, SERVICE, FinishErrand(errand=errand))
        else:
            self._runner.write(put_off_errand, SERVICE, PutOffErrand(errand=errand, problem=problem))
        return done

    def _call(self, errand: Errand) -> bool:
        """Make the call; False while it is not done yet."""
        arguments = errand.arguments
        if errand.kind == TELL_END:
            if self._enforcement is not None:
                self._enforcement.tell_end(arguments["lease"])
            return True
        if self._outside is None:
            raise NobodyThere(f"{errand.kind} needs the compute service that the lease was made for")
        if errand.kind == MAKE_FLAVORS:
            self._outside.make_flavors(arguments["flavors"])
        elif errand.kind == OPEN_FLAVORS:
            self._outside.open_flavors(arguments["flavors"], arguments["project"])
        elif errand.kind == CLEAR_UP:
            return self._outside.clear_up(arguments["flavors"], arguments["hosts"])
        return True
