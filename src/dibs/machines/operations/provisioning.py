"""Requests for work on a node: provision verbs, power, boot device.

A request writes the new state, the node's lock and the task in one transaction; a conductor runs the task afterwards.
Every function locks first, then checks the caller's rules, then everything else, and writes last.
"""

from typing import Any

from dibs.access.access import SERVICE, Access
from dibs.database.transaction import Transaction
from dibs.ledger.queries import traits
from dibs.machines.model import states
from dibs.machines.model.driver import BootDevice, with_boot_device
from dibs.machines.model.errors import (
    InstanceTraitsMissing,
    NodeInMaintenance,
    NodeProtected,
    NodeRetired,
    NotOffered,
    ValidationFailed,
    WrongState,
    WrongVerb,
)
from dibs.machines.model.events import TASK_QUEUED
from dibs.machines.model.node_traits import check_instance_traits
from dibs.machines.model.nodes import Json, Node
from dibs.machines.operations import holds, node_claims
from dibs.machines.operations.conductors import choose_conductor
from dibs.machines.operations.guards import node_drivers
from dibs.machines.operations.nodes import GetNode, check_unlocked, lock_node
from dibs.machines.operations.saving import save_node
from dibs.machines.queries import tasks

Steps = list[dict[str, Any]]


class RequestProvision(GetNode, frozen=True, kw_only=True):
    """Request a provision verb; each argument belongs to the verb in its name."""

    verb: str
    clean_steps: Steps | None = None
    deploy_steps: Steps | None = None
    service_steps: Steps | None = None
    rescue_password: str | None = None
    configdrive: str | dict[str, Any] | None = None
    check_settings: bool = True
    """False to begin even when the driver finds the node's settings wrong; the work then fails visibly."""
    unoffered_states: frozenset[str] = frozenset()
    """States in which the client's API does not offer the verb."""
    hold_uuid: str | None = None
    """The proof of the caller's hold, to deploy a held node."""


class RequestPower(GetNode, frozen=True, kw_only=True):
    """Request a power state or a reboot."""

    target: str
    timeout: int | None = None


class RequestBootDevice(GetNode, frozen=True, kw_only=True):
    """Set the boot device of a node."""

    boot_device: str
    persistent: bool = False


def request_provision(tx: Transaction, access: Access, now: int, command: RequestProvision) -> Node:
    """Start a provision verb; return the node in the state that follows at once."""
    node = lock_node(tx, access, now, command)
    if node.provision_state in command.unoffered_states:
        raise NotOffered(what=command.verb)
    check_unlocked(node)
    verb = states.ALIASES.get(command.verb, command.verb)
    state = states.next_state(verb, node.provision_state)
    if state is None:
        raise WrongVerb(action=command.verb, node=node.uuid, state=node.provision_state)
    if verb in (states.DEPLOY, states.ADOPT):
        node = holds.consume_for_deploy(tx, access, now, node, command.hold_uuid)
    _check_node(tx, node, verb)
    if command.check_settings:
        node_drivers(tx).check_settings(node, verb)
    if verb == states.ABORT:
        return _abort(tx, now, node, state)
    if verb == states.UNHOLD:
        return _unhold(tx, now, node, state)
    if verb == states.PROVIDE and node.automated_clean is False:
        state = states.AVAILABLE
    if state not in states.PHASES:
        return save_node(tx, node, now, **moved(state, None, now))
    return _begin(tx, now, node, verb, states.PHASES[state], command)


def begin_teardown(tx: Transaction, now: int, node: Node) -> bool:
    """Begin the teardown of a locked node, which also takes its instance off; return False when it cannot begin now.

    For callers that may release the instance: the driver need not find the settings of the node valid.
    """
    undeployable = states.next_state(states.UNDEPLOY, node.provision_state) is not None
    if not undeployable or node.reservation is not None or node.protected:
        return False
    request = RequestProvision(ident=node.uuid, rules=(), verb=states.UNDEPLOY, check_settings=False)
    request_provision(tx, SERVICE, now, request)
    return True


def request_power(tx: Transaction, access: Access, now: int, command: RequestPower) -> Node:
    """Start a change of the node's power state."""
    node = lock_node(tx, access, now, command)
    if command.target not in states.POWER_TARGETS:
        raise WrongVerb(action=command.target, node=node.uuid, state=node.power_state)
    check_unlocked(node)
    # A power change would disturb work that waits for the machine. Ironic refuses it while cleaning, Dibs in every
    # such state.
    if node.provision_state in states.PAUSED or node.provision_state == states.CLEANING:
        raise WrongVerb(action=command.target, node=node.uuid, state=node.provision_state)
    end = states.POWER_TARGETS[command.target]
    if end == states.POWER_OFF and node.disable_power_off:
        raise WrongState(reason=f"Failed to set node power state to {command.target}.")
    node_drivers(tx).check_settings(node, states.POWER)
    arguments = {"target": command.target, "timeout": command.timeout}
    return _hand_over(tx, now, node, states.POWER, arguments, {"target_power_state": end, "last_error": None})


def request_boot_device(tx: Transaction, access: Access, now: int, command: RequestBootDevice) -> Node:
    """Store the boot device; the driver applies it at the next boot."""
    node = lock_node(tx, access, now, command)
    check_unlocked(node)
    node_drivers(tx).check_boot_device(node, command.boot_device)
    chosen = BootDevice(command.boot_device, command.persistent)
    return save_node(tx, node, now, driver_internal_info=with_boot_device(node, chosen))


def moved(state: str, target: str | None, now: int) -> dict[str, Any]:
    """Return the changes of a node that enters a provision state."""
    return {
        "provision_state": state,
        "target_provision_state": states.target_in(state, target),
        "provision_updated_at": now,
    }


def _check_node(tx: Transaction, node: Node, verb: str) -> None:
    """Raise an error when the node's flags, claims or traits forbid the verb."""
    if node.maintenance and verb in states.MAINTENANCE_REFUSES:
        raise NodeInMaintenance(action=states.MAINTENANCE_REFUSES[verb], node=node.uuid)
    if node.protected and verb in states.PROTECTION_REFUSES:
        raise NodeProtected(node=node.uuid)
    if node.retired and verb == states.PROVIDE:
        raise NodeRetired(action="providing", node=node.uuid)
    if verb in (states.DEPLOY, states.REBUILD):
        node_claims.check_holder(tx, node)
        try:
            check_instance_traits(node.uuid, node.instance_info, traits.of_provider(tx, node.id))
        except InstanceTraitsMissing as error:
            raise ValidationFailed(node=node.uuid, reason=str(error)) from error


def _begin(tx: Transaction, now: int, node: Node, verb: str, phase: states.Phase, command: RequestProvision) -> Node:
    """Enter the phase of a verb and queue its task."""
    changes: dict[str, Any] = {
        **moved(phase.state, states.TARGETS.get(verb, phase.target), now),
        **NO_STEP,
        "last_error": None,
    }
    if verb == states.INSPECT:
        changes |= {"inspection_started_at": now, "inspection_finished_at": None}
    if command.configdrive is not None:
        changes["instance_info"] = {**node.instance_info, "configdrive": command.configdrive}
    return _hand_over(tx, now, node, phase.work, _arguments(command, verb), changes)


def _arguments(command: RequestProvision, verb: str) -> Json:
    steps = {
        states.CLEAN: command.clean_steps,
        states.DEPLOY: command.deploy_steps,
        states.REBUILD: command.deploy_steps,
        states.SERVICE: command.service_steps,
    }.get(verb)
    arguments: dict[str, Any] = {"steps": steps} if steps else {}
    if command.rescue_password is not None:
        # Stored with the task only, and deleted with it: no API shows the task.
        arguments["password"] = command.rescue_password
    return arguments


def _hand_over(tx: Transaction, now: int, node: Node, work: str, arguments: Json, changes: Json) -> Node:
    """Lock the node for a live conductor and queue the task for it."""
    conductor = choose_conductor(
        tx,
        now,
        driver=node.driver,
        group=node.conductor_group,
        seed=node.uuid,
        preferred=node.conductor_id,
    )
    tasks.queue(tx, node.id, conductor_id=conductor.id, work=work, arguments=arguments, now=now)
    tx.publish(TASK_QUEUED)
    return save_node(tx, node, now, **changes, reservation=conductor.hostname, conductor_id=conductor.id)


_ABORTED = {
    states.INSPECT: "Inspection was aborted by request.",
    states.RESCUE: "By request, the rescue operation was aborted.",
    states.CLEAN: "By request, the clean operation was aborted",
    states.DEPLOY: "By request, the deploy operation was aborted",
    states.SERVICE: "By request, the service operation was aborted",
}

NO_STEP: Json = {"clean_step": {}, "deploy_step": {}, "service_step": {}}
"""The current steps of a node that has none."""


def _abort(tx: Transaction, now: int, node: Node, state: str) -> Node:
    """Remove the task that waits on the node."""
    phase = states.PAUSED.get(node.provision_state, states.PHASES[states.SERVICING])
    tasks.remove(tx, node.id)
    return save_node(
        tx, node, now, **moved(state, node.target_provision_state, now), **NO_STEP, last_error=_ABORTED[phase.work]
    )


def _unhold(tx: Transaction, now: int, node: Node, state: str) -> Node:
    """Make the held task of the node due at once."""
    task = tasks.get(tx, node.id)
    if task is not None:
        tasks.requeue(tx, task, work=task.work, arguments=task.arguments, runner=None, attempts=0)
        tx.publish(TASK_QUEUED)
    return save_node(tx, node, now, **moved(state, node.target_provision_state, now))
