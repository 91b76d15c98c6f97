"""The conductor's side of work on nodes: take a task, report how it went, take over from the dead.

Every report locks the node first and then looks whether the task is still the reporter's. So a conductor that was only
slow, and whose work another has begun meanwhile, changes nothing: it is told TaskLost.
"""

from dataclasses import dataclass, field
from typing import Any

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.machines.model import states
from dibs.machines.model.driver import Outcome
from dibs.machines.model.errors import TaskLost
from dibs.machines.model.nodes import Json, Node
from dibs.machines.model.tasks import ATTEMPTS_MAX, Task
from dibs.machines.operations import node_claims
from dibs.machines.operations.guards import node_guards
from dibs.machines.operations.provisioning import NO_STEP, moved
from dibs.machines.operations.saving import save_node
from dibs.machines.queries import conductors, nodes, tasks

NEVER = 2**63 - 1
"""When held work is due."""
ORPHANS_MAX = 1_000
"""How much work of dead conductors is looked at in one go."""

_MICROSECONDS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ListDue:
    """What this incarnation of a conductor should begin now."""

    incarnation: str
    count_max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeTask:
    """Begin the work on a node."""

    node_uuid: str
    incarnation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOutcome(TakeTask):
    """The driver returned."""

    work: str
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFailure(TakeTask):
    """The driver could not do it."""

    work: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeOver:
    """Look for the work of dead conductors that this one can do."""

    incarnation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A node that is this conductor's now, and what to do to it."""

    node: Node
    work: str
    arguments: Json = field(default_factory=dict)
    progress: Json = field(default_factory=dict)


def list_due(tx: Transaction, access: Access, now: int, command: ListDue) -> list[str]:
    """The uuids of nodes whose work is due and not being done by this conductor."""
    return tasks.due(tx, command.incarnation, now, command.count_max)


def take_task(tx: Transaction, access: Access, now: int, command: TakeTask) -> Assignment | None:
    """Begin the work on a node, unless somebody else has; work that keeps dying makes the node fail instead."""
    node = nodes.lock(tx, command.node_uuid, now)
    conductor = conductors.get_by_incarnation(tx, command.incarnation)
    if node is None or conductor is None or not tasks.take(tx, node.id, command.incarnation, now):
        return None
    task = tasks.get(tx, node.id)
    assert task is not None, "it was taken just now"
    if task.attempts > ATTEMPTS_MAX:
        _give_up(tx, now, node, task, conductor.hostname)
        return None
    changes: dict[str, Any] = {"reservation": conductor.hostname}
    if phase := states.PAUSED.get(node.provision_state):
        changes |= moved(phase.state, node.target_provision_state, now)
    node = save_node(tx, node, now, **changes)
    return Assignment(node=node, work=task.work, arguments=task.arguments, progress=task.progress)


def report_outcome(tx: Transaction, access: Access, now: int, command: ReportOutcome) -> Assignment | None:
    """Write down what the driver did. Returns what this conductor is to do next on the same node, if anything."""
    node, task = _mine(tx, now, command, command.work)
    outcome = command.outcome
    if not outcome.finished:
        _pause(tx, now, node, task, outcome)
        return None
    if task.work == states.POWER:
        _rest(tx, now, node, {"target_power_state": None, **outcome.changes})
        return None
    phase = states.PHASE_OF_WORK[task.work]
    if phase.then is not None:
        return _next_phase(tx, now, node, task, states.PHASES[phase.then], outcome.changes)
    changes = {**NO_STEP, **outcome.changes, **moved(node.target_provision_state or phase.target, None, now)}
    if task.work == states.INSPECT:
        changes["inspection_finished_at"] = now
    _rest(tx, now, node, changes)
    return None


def report_failure(tx: Transaction, access: Access, now: int, command: ReportFailure) -> None:
    """Write down that the driver could not do it: the node fails visibly and is unlocked."""
    node, task = _mine(tx, now, command, command.work)
    _fail(tx, now, node, task, command.reason)


def release_task(tx: Transaction, access: Access, now: int, command: TakeTask) -> None:
    """Leave a task undone because the conductor stops; whoever takes it next begins anew. Not ours: nothing happens."""
    node = nodes.lock(tx, command.node_uuid, now)
    if node is not None:
        tasks.release(tx, node.id, command.incarnation)


def list_orphans(tx: Transaction, access: Access, now: int, command: TakeOver) -> list[str]:
    """The uuids of nodes with work of dead conductors that this one has the driver and group for."""
    conductor = conductors.get_by_incarnation(tx, command.incarnation)
    if conductor is None:
        return []
    return [
        row["uuid"]
        for row in tasks.orphaned(tx, now, ORPHANS_MAX)
        if conductor.supports(row["driver"], row["conductor_group"])
    ]


def take_over_task(tx: Transaction, access: Access, now: int, command: TakeTask) -> bool:
    """Move a dead conductor's task to this one; False when that is not to be: it is done, taken, or its owner lives."""
    node = nodes.lock(tx, command.node_uuid, now)
    task = tasks.get(tx, node.id) if node else None
    taker = conductors.get_by_incarnation(tx, command.incarnation)
    if node is None or task is None or taker is None:
        return False
    former = conductors.get_by_id(tx, task.conductor_id)
    if former is None or former.id == taker.id or former.alive(now):
        return False
    if task.attempts >= ATTEMPTS_MAX:
        _give_up(tx, now, node, task, former.hostname)
        return False
    if not tasks.move(tx, node.id, from_conductor=former.id, to_conductor=taker.id):
        return False
    reservation = taker.hostname if node.reservation else None
    save_node(tx, node, now, conductor_id=taker.id, reservation=reservation)
    return True


def _mine(tx: Transaction, now: int, command: TakeTask, work: str) -> tuple[Node, Task]:
    """The node, locked, and its task, if that is still the reporter's and still that work."""
    node = nodes.lock(tx, command.node_uuid, now)
    task = tasks.get(tx, node.id) if node else None
    if node is None or task is None or task.runner != command.incarnation or task.work != work:
        raise TaskLost(node=command.node_uuid)
    return node, task


def _pause(tx: Transaction, now: int, node: Node, task: Task, outcome: Outcome) -> None:
    """Unlock the node until its work goes on."""
    phase = states.PHASE_OF_WORK[task.work]
    state = phase.held if outcome.held else phase.waiting
    assert state is not None, f"{task.work} cannot pause"
    due_at = NEVER if outcome.wait_seconds is None else now + int(outcome.wait_seconds * _MICROSECONDS)
    arguments = {**task.arguments, "progress": outcome.progress}
    tasks.requeue(tx, task, work=task.work, arguments=arguments, runner=None, attempts=0, due_at=due_at)
    changes = {**outcome.changes, **moved(state, node.target_provision_state, now), "reservation": None}
    save_node(tx, node, now, **changes)


def _next_phase(
    tx: Transaction, now: int, node: Node, task: Task, phase: states.Phase, changes: Json
) -> Assignment | None:
    """Torn down: the instance lets go of the machine, which is then cleaned for the next one."""
    changes = {**changes, **_without_instance(tx, now, node)}
    if node.automated_clean is False:
        _rest(tx, now, node, {**changes, **moved(phase.target, None, now)})
        return None
    tasks.requeue(tx, task, work=phase.work, arguments={}, runner=task.runner, attempts=1, due_at=now)
    node = save_node(tx, node, now, **changes, **moved(phase.state, phase.target, now))
    return Assignment(node=node, work=phase.work)


def _without_instance(tx: Transaction, now: int, node: Node) -> Json:
    """End the claim of the node's instance; return the changes of the node that go with it.

    A sticky allocation keeps the instance, and the node with it, for the next deployment.
    """
    for guard in node_guards(tx) if node.instance_uuid else ():
        kept = guard.kept_after_teardown(tx, node)
        if kept is not None:
            return dict(kept)
    node_claims.release(tx, now, node)
    return {"instance_uuid": None, "instance_name": None, "instance_info": {}}


_FAILURE_WORDS = {
    states.VERIFY: "Failed to get power state for node {node}. Error: {reason}",
    states.INSPECT: "Failed to inspect hardware. Reason: {reason}",
    states.CLEAN: "Failed to clean node {node}: {reason}",
    states.DEPLOY: "Failed to deploy: {reason}",
    states.TEAR_DOWN: "Failed to tear down: {reason}",
    states.ADOPT: "Error while attempting to adopt node {node}: {reason}",
    states.RESCUE: "Failed to rescue: {reason}",
    states.UNRESCUE: "Failed to unrescue: {reason}",
    states.SERVICE: "Failed to service node {node}: {reason}",
    states.POWER: "Failed to change power state to '{target}': {reason}",
}


def _give_up(tx: Transaction, now: int, node: Node, task: Task, hostname: str) -> None:
    _fail(tx, now, node, task, f"conductor {hostname} died while working on it, after {ATTEMPTS_MAX} attempts")


def _fail(tx: Transaction, now: int, node: Node, task: Task, reason: str) -> None:
    """The node shows that its work failed and why, and is unlocked."""
    words = _FAILURE_WORDS[task.work]
    error = words.format(node=node.uuid, reason=reason, target=task.arguments.get("target"))
    changes: dict[str, Any] = {"last_error": error, "target_power_state": None}
    if task.work != states.POWER:
        phase = states.PHASE_OF_WORK[task.work]
        changes |= {**NO_STEP, **moved(phase.failed, node.target_provision_state, now)}
        if phase.fault:
            reason_kept = node.maintenance_reason or error
            changes |= {"fault": phase.fault, "maintenance": True, "maintenance_reason": reason_kept}
    if task.work == states.ADOPT:
        # What was known of the power came from settings that have just been proved wrong.
        changes["power_state"] = None
    if task.work == states.TEAR_DOWN:
        # Quirk: the instance is gone even when tearing down failed (ironic/conductor/manager.py, _do_node_tear_down).
        changes |= _without_instance(tx, now, node)
    _rest(tx, now, node, changes)


def _rest(tx: Transaction, now: int, node: Node, changes: Json) -> None:
    """The work is over: unlock the node."""
    tasks.remove(tx, node.id)
    save_node(tx, node, now, **changes, reservation=None)
