"""Allocations for a node on their way from an API process to a conductor, and what the conductor does with them.

The two procedures have the names that specification 000 gives them. A call may be repeated at another conductor: the
allocation's uuid is chosen before the first, so whoever comes second finds the row of whoever came first.
"""

import dataclasses
import logging
import random
from collections.abc import Callable, Mapping
from typing import Any

from dibs.access.access import SERVICE, Access
from dibs.access.actor import Actor
from dibs.access.machine_policy import MachinePolicy
from dibs.allocations.model.allocations import Allocation
from dibs.allocations.model.errors import AllocationNotFound, NoConductorAvailable
from dibs.allocations.operations.allocations import (
    CreateAllocation,
    GetAllocation,
    GetAllocationOfNode,
    create_allocation,
    delete_allocation,
    get_allocation,
    get_allocation_of_node,
)
from dibs.allocations.operations.intake import ListCallable, list_callable, settle_allocation
from dibs.database.runner import Runner
from dibs.errors import DibsError
from dibs.rpc.client import Caller, NoAnswer
from dibs.rpc.server import Procedure
from dibs.rpc.wire import Json

LOG = logging.getLogger(__name__)

CREATE = "create_allocation"
DESTROY = "destroy_allocation"

_HERE = ("node_guard", "incarnation")
"""What of a command does not travel: the guards have been asked, and the conductor knows who it is."""
_SENT = tuple(field.name for field in dataclasses.fields(CreateAllocation) if field.name not in _HERE)
_LISTS = ("traits", "candidate_nodes")
_SAME = ("name", "owner", "extra", "candidate_nodes", "sticky", "batch")


class RemoteIntake:
    """The API's side; see usecases.request_intake.AllocationIntake."""

    def __init__(self, runner: Runner, caller: Caller) -> None:
        self._runner = runner
        self._caller = caller

    def create(self, access: Access, command: CreateAllocation) -> Allocation:
        """Ask one conductor after the other, in random order, until one has written the allocation down."""
        command = self._runner.read(settle_allocation, access, command)
        allocation = {name: getattr(command, name) for name in _SENT}
        try:
            return _read_allocation(self._call(CREATE, access, allocation))
        except _AnsweredLater as later:
            found = self._find(command)
            if found is None:
                raise later.outcome from None
            return found

    def delete(self, access: Access, command: GetAllocation) -> None:
        """See AllocationIntake."""
        self._destroy(access, self._runner.read(get_allocation, access, command))

    def delete_of_node(self, access: Access, command: GetAllocationOfNode) -> None:
        """See AllocationIntake."""
        self._destroy(access, self._runner.read(get_allocation_of_node, access, command))

    def _destroy(self, access: Access, allocation: Allocation) -> None:
        try:
            self._call(DESTROY, access, {"uuid": allocation.uuid})
        except _AnsweredLater as later:
            if not isinstance(later.outcome, AllocationNotFound):
                raise later.outcome from None

    def _call(self, method: str, access: Access, allocation: Json) -> Any:
        """The answer of the first conductor that gives one."""
        conductors = self._runner.read(list_callable, SERVICE, ListCallable())
        random.shuffle(conductors)
        heard = False
        for conductor in conductors:
            assert conductor.rpc_url is not None, "only those that take calls are listed"
            try:
                return self._caller.call(
                    conductor.rpc_url, conductor.incarnation, method, access.actor, allocation=allocation
                )
            except NoAnswer as silence:
                LOG.warning("%s: conductor %s: %s", method, conductor.hostname, silence)
                heard = heard or silence.heard
            except NoConductorAvailable:
                LOG.warning("%s: conductor %s is late with its heartbeat", method, conductor.hostname)
            except DibsError as error:
                if heard:
                    raise _AnsweredLater(error) from error
                raise
        if heard:
            raise _AnsweredLater(NoConductorAvailable())
        raise NoConductorAvailable

    def _find(self, command: CreateAllocation) -> Allocation | None:
        """The allocation, if an earlier call wrote it after all; one of another's making is not taken for ours."""
        assert command.uuid is not None, "it was settled"
        try:
            found = self._runner.read(
                get_allocation, SERVICE, GetAllocation(ident=command.uuid, guard=lambda allocation: None)
            )
        except AllocationNotFound:
            return None
        return found if _is_what_was_asked_for(found, command) else None


def _is_what_was_asked_for(found: Allocation, command: CreateAllocation) -> bool:
    """Return True when an allocation is the one that a settled command makes; the deadline is not compared."""
    return (
        all(getattr(found, name) == getattr(command, name) for name in _SAME)
        and found.traits == tuple(dict.fromkeys(command.traits))
        and (found.wait_until is None) == (command.wait_seconds is None)
        # With a node, what is left out is the node's own.
        and command.resource_class in (None, found.resource_class)
        and command.node in (None, found.node_uuid)
    )


class _AnsweredLater(Exception):
    """Some conductor may have carried the call out without our hearing of it; ``outcome`` is what came after that."""

    def __init__(self, outcome: Exception) -> None:
        super().__init__(str(outcome))
        self.outcome = outcome


def procedures(
    runner: Runner, policy: MachinePolicy, incarnation: Callable[[], str | None], wake: Callable[[], None]
) -> Mapping[str, Procedure]:
    """The conductor's side."""

    def create(actor: Actor, params: Json) -> Json:
        values = {**params["allocation"], **{name: tuple(params["allocation"][name]) for name in _LISTS}}
        command = CreateAllocation(**values, incarnation=incarnation())
        allocation = runner.write(create_allocation, policy.access(actor), command)
        wake()
        return dataclasses.asdict(allocation)

    def destroy(actor: Actor, params: Json) -> None:
        # Whether the actor may is decided in the process that knows the rules, before the call.
        command = GetAllocation(ident=params["allocation"]["uuid"], guard=lambda allocation: None)
        runner.write(delete_allocation, policy.access(actor), command)
        wake()

    return {CREATE: create, DESTROY: destroy}


def _read_allocation(document: Json) -> Allocation:
    return Allocation(**{**document, **{name: tuple(document[name]) for name in _LISTS}})
