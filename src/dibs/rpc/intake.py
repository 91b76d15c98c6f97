"""Create and delete allocations by calls from an API process to a conductor.

The two procedures have the names that specification 000 gives them. A call carries the actor and the command as plain
data; the conductor builds the access from the actor with its own policy, and the operation checks it as for a local
call. A call may be repeated at another conductor: the API process chooses the allocation's uuid before the first call,
so the second conductor finds the row that the first one wrote, and the first one writes nothing after the deadline of
its call (docs/adr/0020).
"""

import logging
import random
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import convert, to_builtins
from msgspec.structs import replace

from dibs.access.access import SERVICE, Access
from dibs.access.actor import Actor
from dibs.access.machine_policy import MachinePolicy
from dibs.allocations.model.access import DELETE, check_allocation
from dibs.allocations.model.allocations import ALLOCATING, Allocation
from dibs.allocations.model.errors import AllocationNotFound, NoConductorAvailable
from dibs.allocations.operations.allocations import delete_allocation, get_allocation, get_allocation_of_node
from dibs.allocations.operations.creating import CreateAllocation
from dibs.allocations.operations.intake import create_at_once, list_callable_conductors, prepare_to_send
from dibs.database.runner import Runner
from dibs.errors import DibsError
from dibs.rpc.client import Caller, NoAnswer
from dibs.rpc.server import Procedure
from dibs.rpc.wire import Json

LOG = logging.getLogger(__name__)

CREATE = "create_allocation"
DESTROY = "destroy_allocation"

UNANSWERED_MAX = 3
"""How many conductors may fail to answer before the client gets an error: each may take ten seconds and two more."""

_SAME = ("name", "owner", "extra", "candidate_nodes", "sticky", "batch")


class RemoteIntake:
    """The intake of an API process; see ``allocations.operations.intake.AllocationIntake``."""

    def __init__(self, runner: Runner, caller: Caller) -> None:
        self._runner = runner
        self._caller = caller

    def create(self, access: Access, command: CreateAllocation) -> Allocation:
        """Call the conductors in random order until one has written the allocation."""
        command = self._runner.read(prepare_to_send, access, command)
        try:
            answer = self._call(CREATE, access, to_builtins(command))
        except _AnsweredLater as later:
            found = self._find(command)
            if found is None:
                raise later.outcome from None
            return found
        return convert(answer, Allocation)

    def delete(self, access: Access, ident: str) -> None:
        """See AllocationIntake."""
        self._destroy(access, self._runner.read(get_allocation, access, ident), ident)

    def delete_of_node(self, access: Access, node: str) -> None:
        """See AllocationIntake."""
        self._destroy(access, self._runner.read(get_allocation_of_node, access, node), f"of node {node}")

    def _destroy(self, access: Access, allocation: Allocation, ident: str) -> None:
        # The conductor checks this too; here it spares the call, and the wait when no conductor answers.
        check_allocation(access, allocation, ident, DELETE)
        try:
            self._call(DESTROY, access, {"uuid": allocation.uuid})
        except _AnsweredLater as later:
            if not isinstance(later.outcome, AllocationNotFound):
                raise later.outcome from None

    def _call(self, method: str, access: Access, allocation: Json) -> Any:
        """Return the answer of the first conductor that gives one."""
        conductors = self._runner.read(list_callable_conductors, SERVICE, None)
        random.shuffle(conductors)
        unanswered, carried_out = 0, False
        for conductor in conductors:
            assert conductor.rpc_url is not None, "only conductors that take calls are listed"
            try:
                return self._caller.call(
                    conductor.rpc_url, conductor.incarnation, method, access.actor, allocation=allocation
                )
            except NoAnswer as silence:
                LOG.warning("%s: conductor %s: %s", method, conductor.hostname, silence)
                unanswered, carried_out = unanswered + 1, carried_out or silence.maybe_carried_out
                if unanswered == UNANSWERED_MAX:
                    break
            except NoConductorAvailable:
                LOG.warning("%s: conductor %s is late with its heartbeat", method, conductor.hostname)
            except DibsError as error:
                if carried_out:
                    raise _AnsweredLater(error) from error
                raise
        if carried_out:
            raise _AnsweredLater(NoConductorAvailable())
        raise NoConductorAvailable

    def _find(self, command: CreateAllocation) -> Allocation | None:
        """Return the allocation if an earlier call wrote it; another caller's allocation with the uuid is not ours."""
        assert command.uuid is not None, "prepare_to_send chose it"
        try:
            found = self._runner.read(get_allocation, SERVICE, command.uuid)
        except AllocationNotFound:
            return None
        return found if _is_result_of(command, found) else None


def _is_result_of(command: CreateAllocation, found: Allocation) -> bool:
    """Return True when the command creates such an allocation. The deadline is not compared: clocks differ."""
    return (
        all(getattr(found, name) == getattr(command, name) for name in _SAME)
        and found.traits == tuple(dict.fromkeys(command.traits))
        and (found.wait_until is None) == (command.wait_seconds is None)
        # With a node or a hold, the class may be left to the node.
        and command.resource_class in (None, found.resource_class)
        and command.node in (None, found.node_uuid)
    )


class _AnsweredLater(Exception):
    """A conductor may have carried the call out without an answer; ``outcome`` is the answer of a later one."""

    def __init__(self, outcome: Exception) -> None:
        super().__init__(str(outcome))
        self.outcome = outcome


def procedures(
    runner: Runner, policy: MachinePolicy, incarnation: Callable[[], str | None], wake: Callable[[], None]
) -> Mapping[str, Procedure]:
    """Return the procedures of a conductor process."""

    def create(actor: Actor, params: Json) -> Json:
        # The conductor that is called finds the node.
        command = replace(convert(params["allocation"], CreateAllocation), incarnation=incarnation())
        allocation = create_at_once(runner, policy.access(actor), command, params.get("deadline"))
        if allocation.state == ALLOCATING:
            wake()
        document: Json = to_builtins(allocation)
        return document

    def destroy(actor: Actor, params: Json) -> None:
        ident = params["allocation"]["uuid"]
        runner.write(delete_allocation, policy.access(actor), ident, deadline=params.get("deadline"))
        wake()

    return {CREATE: create, DESTROY: destroy}
