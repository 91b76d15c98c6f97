"""The states of a node and the transitions between them, as data.

Read from the top: the names, the transient states with their ends (``PHASES``), and the verbs that a client may send in
each state (``VERBS``). The tables follow Ironic 39.
"""

from msgspec import Struct

# --- provision states -------------------------------------------------------------------------------------------------

ENROLL = "enroll"
VERIFYING = "verifying"
MANAGEABLE = "manageable"
AVAILABLE = "available"
ACTIVE = "active"
ERROR = "error"
DEPLOYING = "deploying"
DEPLOY_WAIT = "wait call-back"
DEPLOY_HOLD = "deploy hold"
DEPLOY_FAILED = "deploy failed"
DELETING = "deleting"
CLEANING = "cleaning"
CLEAN_WAIT = "clean wait"
CLEAN_HOLD = "clean hold"
CLEAN_FAILED = "clean failed"
INSPECTING = "inspecting"
INSPECT_WAIT = "inspect wait"
INSPECT_FAILED = "inspect failed"
ADOPTING = "adopting"
ADOPT_FAILED = "adopt failed"
RESCUE = "rescue"
RESCUING = "rescuing"
RESCUE_WAIT = "rescue wait"
RESCUE_FAILED = "rescue failed"
UNRESCUING = "unrescuing"
UNRESCUE_FAILED = "unrescue failed"
SERVICING = "servicing"
SERVICE_WAIT = "service wait"
SERVICE_HOLD = "service hold"
SERVICE_FAILED = "service failed"

STABLE_STATES = frozenset({ENROLL, MANAGEABLE, AVAILABLE, ACTIVE, ERROR, RESCUE})
"""States that a node leaves only on request."""

UPDATE_ALLOWED_STATES = frozenset(
    {
        DEPLOY_FAILED, INSPECTING, INSPECT_FAILED, INSPECT_WAIT, CLEAN_FAILED, ERROR, VERIFYING, ADOPT_FAILED,
        RESCUE_FAILED, UNRESCUE_FAILED, SERVICE_HOLD, SERVICE_FAILED,
    }
)  # fmt: skip
"""States in which a node may be patched although it has a target state."""

DELETE_ALLOWED_STATES = (MANAGEABLE, ENROLL, ADOPT_FAILED, AVAILABLE)
"""States in which a node may be deleted without maintenance, in the order of the error message."""

# --- power states and faults ------------------------------------------------------------------------------------------

POWER_ON = "power on"
POWER_OFF = "power off"
POWER_ERROR = "error"
REBOOT = "rebooting"
SOFT_REBOOT = "soft rebooting"
SOFT_POWER_OFF = "soft power off"

POWER_TARGETS = {
    POWER_ON: POWER_ON,
    POWER_OFF: POWER_OFF,
    REBOOT: POWER_ON,
    SOFT_REBOOT: POWER_ON,
    SOFT_POWER_OFF: POWER_OFF,
}
"""The power states that a client may request, each with the state in which the node ends."""

CLEAN_FAILURE = "clean failure"
POWER_FAILURE = "power failure"
RESCUE_ABORT_FAILURE = "rescue abort failure"
SERVICE_FAILURE = "service failure"
FAULTS = (POWER_FAILURE, CLEAN_FAILURE, RESCUE_ABORT_FAILURE, SERVICE_FAILURE)
"""Reasons for which the service itself puts a node in maintenance."""

# --- kinds of work and their phases -----------------------------------------------------------------------------------

VERIFY = "verify"
INSPECT = "inspect"
CLEAN = "clean"
DEPLOY = "deploy"
TEAR_DOWN = "tear_down"
ADOPT = "adopt"
UNRESCUE = "unrescue"
SERVICE = "service"
POWER = "power"
"""The only work that changes no provision state. The work of the verb rescue is the state's name, ``RESCUE``."""


class Phase(Struct, frozen=True, kw_only=True):
    """A transient state: the work that runs in it, and the states that follow."""

    state: str
    work: str
    target: str
    """The target state that the node shows meanwhile, and the state after success unless ``then`` is set."""
    failed: str
    waiting: str | None = None
    """The state while the work waits for the machine; None when it never waits."""
    held: str | None = None
    """The state while the work is held until the verb unhold."""
    then: str | None = None
    """The phase after success, before the target is reached."""
    fault: str | None = None
    """The fault for which a failure puts the node in maintenance; None when it does not."""


PHASES = {
    phase.state: phase
    for phase in (
        Phase(state=VERIFYING, work=VERIFY, target=MANAGEABLE, failed=ENROLL),
        Phase(state=INSPECTING, work=INSPECT, target=MANAGEABLE, failed=INSPECT_FAILED, waiting=INSPECT_WAIT),
        Phase(
            state=CLEANING, work=CLEAN, target=AVAILABLE, failed=CLEAN_FAILED, waiting=CLEAN_WAIT, held=CLEAN_HOLD,
            fault=CLEAN_FAILURE,
        ),
        Phase(state=ADOPTING, work=ADOPT, target=ACTIVE, failed=ADOPT_FAILED),
        Phase(
            state=DEPLOYING, work=DEPLOY, target=ACTIVE, failed=DEPLOY_FAILED, waiting=DEPLOY_WAIT, held=DEPLOY_HOLD
        ),
        Phase(state=DELETING, work=TEAR_DOWN, target=AVAILABLE, failed=ERROR, then=CLEANING),
        Phase(state=RESCUING, work=RESCUE, target=RESCUE, failed=RESCUE_FAILED, waiting=RESCUE_WAIT),
        Phase(state=UNRESCUING, work=UNRESCUE, target=ACTIVE, failed=UNRESCUE_FAILED),
        Phase(
            state=SERVICING, work=SERVICE, target=ACTIVE, failed=SERVICE_FAILED, waiting=SERVICE_WAIT,
            held=SERVICE_HOLD, fault=SERVICE_FAILURE,
        ),
    )
}  # fmt: skip
"""Every transient state."""

PHASE_OF_WORK = {phase.work: phase for phase in PHASES.values()}

PAUSED = {state: phase for phase in PHASES.values() for state in (phase.waiting, phase.held) if state}
"""The waiting and held states, each with the phase that it interrupts."""

ALL_STATES = frozenset(STABLE_STATES | PHASES.keys() | PAUSED.keys() | {phase.failed for phase in PHASES.values()})

# --- verbs ------------------------------------------------------------------------------------------------------------

MANAGE = "manage"
PROVIDE = "provide"
UNDEPLOY = "undeploy"
REBUILD = "rebuild"
ABORT = "abort"
UNHOLD = "unhold"

ALIASES = {"active": DEPLOY, "deleted": UNDEPLOY}
"""Verbs by their older names."""

VERBS: dict[str, dict[str, str]] = {
    MANAGE: {
        ENROLL: VERIFYING,
        AVAILABLE: MANAGEABLE,
        CLEAN_FAILED: MANAGEABLE,
        INSPECT_FAILED: MANAGEABLE,
        ADOPT_FAILED: MANAGEABLE,
    },
    PROVIDE: {MANAGEABLE: CLEANING},
    INSPECT: {MANAGEABLE: INSPECTING, INSPECT_FAILED: INSPECTING},
    CLEAN: {MANAGEABLE: CLEANING},
    ADOPT: {MANAGEABLE: ADOPTING, ADOPT_FAILED: ADOPTING},
    DEPLOY: {AVAILABLE: DEPLOYING, DEPLOY_FAILED: DEPLOYING},
    REBUILD: {ACTIVE: DEPLOYING, DEPLOY_FAILED: DEPLOYING, ERROR: DEPLOYING},
    UNDEPLOY: {
        ACTIVE: DELETING,
        ERROR: DELETING,
        DEPLOY_WAIT: DELETING,
        DEPLOY_FAILED: DELETING,
        RESCUE: DELETING,
        RESCUE_WAIT: DELETING,
        RESCUE_FAILED: DELETING,
        UNRESCUE_FAILED: DELETING,
        SERVICE_WAIT: DELETING,
        SERVICE_FAILED: DELETING,
    },
    RESCUE: {
        ACTIVE: RESCUING,
        RESCUE: RESCUING,
        RESCUE_FAILED: RESCUING,
        UNRESCUE_FAILED: RESCUING,
        SERVICE_FAILED: RESCUING,
    },
    UNRESCUE: {RESCUE: UNRESCUING, RESCUE_FAILED: UNRESCUING, UNRESCUE_FAILED: UNRESCUING},
    SERVICE: {ACTIVE: SERVICING, SERVICE_HOLD: SERVICING, SERVICE_FAILED: SERVICING},
    ABORT: {
        DEPLOY_WAIT: DEPLOY_FAILED,
        DEPLOY_HOLD: DEPLOY_FAILED,
        CLEAN_WAIT: CLEAN_FAILED,
        CLEAN_HOLD: CLEAN_FAILED,
        INSPECT_WAIT: INSPECT_FAILED,
        RESCUE_WAIT: RESCUE_FAILED,
        # Quirk: an aborted service passes "service failed" and ends in "active" within one request
        # (ironic/conductor/manager.py, _do_abort).
        SERVICE_WAIT: ACTIVE,
        SERVICE_HOLD: ACTIVE,
        SERVICE_FAILED: ACTIVE,
    },
    UNHOLD: {DEPLOY_HOLD: DEPLOY_WAIT, CLEAN_HOLD: CLEAN_WAIT, SERVICE_HOLD: SERVICE_WAIT},
}
"""For each verb: the states in which it is allowed, each with the state that follows at once."""

TARGETS = {CLEAN: MANAGEABLE}
"""Verbs whose target differs from that of their phase: a manual clean returns to manageable."""

MAINTENANCE_REFUSES = {
    DEPLOY: "provisioning",
    REBUILD: "provisioning",
    CLEAN: "cleaning",
    RESCUE: "rescuing",
    UNRESCUE: "unrescuing",
    SERVICE: "service",
}
"""Verbs that are refused for a node in maintenance, each with its name in the error message."""

PROTECTION_REFUSES = frozenset({UNDEPLOY, REBUILD})

INTERFACES_NEEDED = {
    INSPECT: ("power", "inspect"),
    CLEAN: ("power", "network"),
    DEPLOY: ("power", "deploy"),
    REBUILD: ("power", "deploy"),
    UNDEPLOY: ("power",),
    RESCUE: ("power", "rescue", "network"),
    UNRESCUE: ("power",),
    SERVICE: ("power", "network"),
    POWER: ("power",),
}
"""The interfaces that a driver must find valid before a verb is accepted."""


def next_state(verb: str, state: str) -> str | None:
    """Return the state that follows a verb, by either of its names, at once; None when the state does not allow it."""
    return VERBS.get(ALIASES.get(verb, verb), {}).get(state)


def target_in(state: str, target: str | None) -> str | None:
    """Return the target state that a node shows: none in a stable state."""
    return None if state in STABLE_STATES else target
