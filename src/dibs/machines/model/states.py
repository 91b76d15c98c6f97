"""The states of a machine and the ways between them, as data.

Read it from the top: the names, the transient states with where each leads (``PHASES``), and what a user may ask for in
which state (``VERBS``). The tables follow Ironic 39; nothing here knows how the work is done.
"""

from dataclasses import dataclass

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
"""States that a node leaves only when somebody asks."""

UPDATE_ALLOWED_STATES = frozenset(
    {
        DEPLOY_FAILED, INSPECTING, INSPECT_FAILED, INSPECT_WAIT, CLEAN_FAILED, ERROR, VERIFYING, ADOPT_FAILED,
        RESCUE_FAILED, UNRESCUE_FAILED, SERVICE_HOLD, SERVICE_FAILED,
    }
)  # fmt: skip
"""States in which a node with a target may be patched all the same."""

DELETE_ALLOWED_STATES = (MANAGEABLE, ENROLL, ADOPT_FAILED, AVAILABLE)
"""States in which a node may be deleted without maintenance, in the order in which a refusal lists them."""

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
"""What may be asked of the power, and the state that it ends in."""

CLEAN_FAILURE = "clean failure"
POWER_FAILURE = "power failure"
RESCUE_ABORT_FAILURE = "rescue abort failure"
SERVICE_FAILURE = "service failure"
FAULTS = (POWER_FAILURE, CLEAN_FAILURE, RESCUE_ABORT_FAILURE, SERVICE_FAILURE)
"""Why a node may have been put in maintenance by the service itself."""

# --- the work and its phases ------------------------------------------------------------------------------------------

VERIFY = "verify"
INSPECT = "inspect"
CLEAN = "clean"
DEPLOY = "deploy"
TEAR_DOWN = "tear_down"
ADOPT = "adopt"
UNRESCUE = "unrescue"
SERVICE = "service"
POWER = "power"
"""The one work that changes no provision state. The work of rescuing has the name of the state, ``RESCUE``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A transient state: the work that is done in it, and where that leads."""

    state: str
    work: str
    target: str
    """What the node shows as its target meanwhile, and the state it ends in unless ``then`` says otherwise."""
    failed: str
    waiting: str | None = None
    """The state while the work waits for the machine; None when it never does."""
    held: str | None = None
    """The state while the work is stopped until somebody says unhold."""
    then: str | None = None
    """The phase that follows success before the target is reached."""
    fault: str | None = None
    """Why a node whose work failed is put in maintenance; None when it is not."""


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

# --- what a user may ask for ------------------------------------------------------------------------------------------

MANAGE = "manage"
PROVIDE = "provide"
UNDEPLOY = "undeploy"
REBUILD = "rebuild"
ABORT = "abort"
UNHOLD = "unhold"

ALIASES = {"active": DEPLOY, "deleted": UNDEPLOY}
"""Verbs under their older names."""

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
"""verb -> state in which it may be asked for -> state that follows at once."""

TARGETS = {CLEAN: MANAGEABLE}
"""Verbs whose target is not that of the phase they start: a clean that was asked for by hand leads back."""

MAINTENANCE_REFUSES = {
    DEPLOY: "provisioning",
    REBUILD: "provisioning",
    CLEAN: "cleaning",
    RESCUE: "rescuing",
    UNRESCUE: "unrescuing",
    SERVICE: "service",
}
"""Verbs that a node in maintenance refuses, and what the refusal calls them."""

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
"""The interfaces whose validation must pass before a verb is accepted."""


def next_state(verb: str, state: str) -> str | None:
    """The state that a verb, under either of its names, leads to at once; None when it may not be asked for now."""
    return VERBS.get(ALIASES.get(verb, verb), {}).get(state)


def target_in(state: str, target: str | None) -> str | None:
    """What a node shows as its target in a state: nothing once it is at rest."""
    return None if state in STABLE_STATES else target
