"""Tasks on nodes, from the conductor's side: take a task, report its outcome, take over from failed conductors.

Every report locks the node and then checks that the task still belongs to the reporter. So a slow conductor whose task
another conductor has taken over changes nothing and gets TaskLost.
"""

from typing import Any

from msgspec import Struct, field

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.machines.model import states
from dibs.machines.model.driver import Outcome
from dibs.machines.model.errors import TaskLost
from dibs.machines.model.nodes import Json, Node
from dibs.machines.model.tasks import ATTEMPTS_MAX, Task
from dibs.machines.operations import node_claims, vifs
from dibs.machines.operations.guards import node_guards
from dibs.machines.operations.provisioning import NO_STEP, moved
from dibs.machines.operations.saving import save_node
from dibs.machines.queries import conductors, nodes, tasks

NEVER = 2**63 - 1
"""The due time of held tasks."""
ORPHANS_MAX = 1_000
"""Tasks of failed conductors that one take-over looks at."""

_MICROSECONDS = 1_000_000


class ListDue(Struct, frozen=True, kw_only=True):
    """List the due tasks of an incarnation of a conductor."""

    incarnation: str
    count_max: int


class TakeTask(Struct, frozen=True, kw_only=True):
    """Take the task of a node."""

    node_uuid: str
    incarnation: str


class ReportOutcome(TakeTask, frozen=True, kw_only=True):
    """Report that the driver returned."""

    work: str
    outcome: Outcome


class ReportFailure(TakeTask, frozen=True, kw_only=True):
    """Report that the driver failed."""

    work: str
    reason: str


class Assignment(Struct, frozen=True, kw_only=True):
    """A node that this conductor has locked, and the work to do on it."""

    node: Node
    work: str
    arguments: Json = field(default_factory=dict)
    progress: Json = field(default_factory=dict)


def list_due(tx: Transaction, access: Access, now: int, command: ListDue) -> list[str]:
    """Return the uuids of nodes with a due task that this incarnation does not run yet."""
    return tasks.due(tx, command.incarnation, now, command.count_max)


def take_task(tx: Transaction, access: Access, now: int, command: TakeTask) -> Assignment | None:
    """Take the task of a node; return None when it is not due or not this conductor's.

    After too many attempts the node fails visibly instead.
    """
    node = nodes.lock(tx, command.node_uuid, now)
    if node is None or not tasks.take(tx, node.id, command.incarnation, now):
        return None
    task, hostname = tasks.get_taken(tx, node.id)
    if task.attempts > ATTEMPTS_MAX:
        _give_up(tx, now, node, task, hostname)
        return None
    if phase := states.PAUSED.get(node.provision_state):
        resumed = moved(phase.state, node.target_provision_state, now)
        node = save_node(tx, node, now, **resumed, reservation=hostname)
    elif node.reservation != hostname:
        node = save_node(tx, node, now, reservation=hostname)
    return Assignment(node=node, work=task.work, arguments=task.arguments, progress=task.progress)


def report_outcome(tx: Transaction, access: Access, now: int, command: ReportOutcome) -> Assignment | None:
    """Record what the driver did; return the next assignment on the same node, if there is one."""
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
    """Record that the driver failed: the node shows the error and is unlocked."""
    node, task = _mine(tx, now, command, command.work)
    _fail(tx, now, node, task, command.reason)


def release_task(tx: Transaction, access: Access, now: int, command: TakeTask) -> None:
    """Release a task because the conductor stops; do nothing when the task is no longer the conductor's."""
    node = nodes.lock(tx, command.node_uuid, now)
    if node is not None:
        tasks.release(tx, node.id, command.incarnation)


def list_orphans(tx: Transaction, access: Access, now: int, incarnation: str) -> list[str]:
    """Return the uuids of nodes with a task of a failed conductor, in this conductor's group and with its drivers."""
    conductor = conductors.get_by_incarnation(tx, incarnation)
    if conductor is None:
        return []
    return [
        row["uuid"]
        for row in tasks.orphaned(tx, now, ORPHANS_MAX)
        if conductor.supports(row["driver"], row["conductor_group"])
    ]


def take_over_task(tx: Transaction, access: Access, now: int, command: TakeTask) -> bool:
    """Move a failed conductor's task to this one; return False when it is done, taken over or not orphaned."""
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
    """Lock the node and return it with its task; raise TaskLost when the task is no longer the reporter's."""
    node = nodes.lock(tx, command.node_uuid, now)
    task = tasks.get(tx, node.id) if node else None
    if node is None or task is None or task.runner != command.incarnation or task.work != work:
        raise TaskLost(node=command.node_uuid)
    return node, task


def _pause(tx: Transaction, now: int, node: Node, task: Task, outcome: Outcome) -> None:
    """Unlock the node until its task continues."""
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
    """Remove the instance after a teardown, and clean the node unless its ``automated_clean`` is off."""
    changes = {**changes, **_without_instance(tx, now, node)}
    if node.automated_clean is False:
        _rest(tx, now, node, {**changes, **moved(phase.target, None, now)})
        return None
    tasks.requeue(tx, task, work=phase.work, arguments={}, runner=task.runner, attempts=1)
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
    vifs.detach_every_vif(tx, now, node)
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
    _fail(tx, now, node, task, f"conductor {hostname} failed while working on it, after {ATTEMPTS_MAX} attempts")


def _fail(tx: Transaction, now: int, node: Node, task: Task, reason: str) -> None:
    """Show on the node that its task failed and why, and unlock it."""
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
        # The known power state came from settings that have just proved wrong.
        changes["power_state"] = None
    if task.work == states.TEAR_DOWN:
        # Quirk: the instance is gone even when tearing down failed (ironic/conductor/manager.py, _do_node_tear_down).
        changes |= _without_instance(tx, now, node)
    _rest(tx, now, node, changes)


def _rest(tx: Transaction, now: int, node: Node, changes: Json) -> None:
    """Remove the task and unlock the node."""
    tasks.remove(tx, node.id)
    save_node(tx, node, now, **changes, reservation=None)
