"""Make the calls of the outbox: take one, call the service with no transaction open, record the result."""

import logging

from dibs.access.access import SERVICE
from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.database.runner import Runner
from dibs.leases.model.enforcement import Enforcement
from dibs.leases.model.outbox import CLEAN_UP, CREATE_FLAVORS, GRANT_FLAVORS, NOTIFY_END, ComputeService, OutboxCall
from dibs.leases.operations.outbox import (
    PostponeOutboxCall,
    finish_outbox_call,
    list_outbox_calls,
    postpone_outbox_call,
    take_outbox_call,
)

COUNT_MAX = 100
"""How many calls one run makes at most."""

logger = logging.getLogger(__name__)


class ServiceNotConfigured(Exception):
    """A lease was made for a service that the settings no longer name."""


class UnknownCall(Exception):
    """A later release wrote the call: the processes are being replaced one by one."""


class OutboxRunner:
    """Makes the calls that are due."""

    def __init__(self, runner: Runner, compute: ComputeService | None, enforcement: Enforcement | None = None) -> None:
        self._runner = runner
        self._compute = compute
        self._enforcement = enforcement

    def run(self) -> int:
        """Make the calls that are due; return how many are done."""
        due = self._runner.read(list_outbox_calls, SERVICE, COUNT_MAX)
        return sum(self._try_one(call) for call in due)

    def _try_one(self, call: OutboxCall) -> bool:
        try:
            return self._run_one(call)
        except StoreContended:
            # The other calls do not wait for it; it is made again when its time is over.
            logger.debug("%s for lease %s is contended", call.kind, call.lease)
            return False

    def _run_one(self, call: OutboxCall) -> bool:
        if not self._runner.write(take_outbox_call, SERVICE, call):
            return False
        problem = None
        try:
            done = self._make(call)
        except (StoreUnavailable, StoreContended):
            raise
        except Exception as error:
            done, problem = False, f"{type(error).__name__}: {error}"
            logger.warning("%s for lease %s failed and will be retried: %s", call.kind, call.lease, problem)
        if done:
            self._runner.write(finish_outbox_call, SERVICE, call)
        else:
            self._runner.write(postpone_outbox_call, SERVICE, PostponeOutboxCall(call=call, problem=problem))
        return done

    def _make(self, call: OutboxCall) -> bool:
        """Call the service; return False while the service is still working on it."""
        arguments = call.arguments
        if call.kind == NOTIFY_END:
            if self._enforcement is not None:
                self._enforcement.notify_end(arguments["lease"])
            return True
        if self._compute is None:
            raise ServiceNotConfigured(f"{call.kind} needs the compute service that the lease was made for")
        if call.kind == CREATE_FLAVORS:
            self._compute.create_flavors(arguments["flavors"])
        elif call.kind == GRANT_FLAVORS:
            self._compute.grant_flavors(arguments["flavors"], arguments["project"])
        elif call.kind == CLEAN_UP:
            return self._compute.clean_up(arguments["flavors"], arguments["hosts"])
        else:
            raise UnknownCall(f"this release does not know {call.kind}; a conductor of a later one will make the call")
        return True
