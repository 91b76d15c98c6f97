"""Errors about nodes and their parts, chassis, conductors, tasks and holds."""

from dibs.errors import DibsError


class TooManyTraits(DibsError):
    """Could not modify traits for node {node} as it would exceed the maximum number of traits per node
    ({count} vs. {limit})"""


class InstanceTraitsMissing(DibsError):
    """{reason}"""


class TraitNotFound(DibsError):
    """Node {node} doesn't have a trait '{trait}'"""


class NodeNotFound(DibsError):
    """Node {node} could not be found."""


class NodeExists(DibsError):
    """A node with {field} {value} already exists."""


class NodeLocked(DibsError):
    """Node {node} is locked by host {host}, please retry after the current operation is completed."""


class NodeAssociated(DibsError):
    """Node {node} is associated with instance {instance}."""


class InstanceAssociated(DibsError):
    """Instance {instance} is already associated with a node, it cannot be associated with this other node {node}"""


class NodeClaimed(DibsError):
    """Node {node} is claimed by consumer {consumer}; only that consumer's instance can be placed on it."""


class NodeProtected(DibsError):
    """Node {node} is protected and cannot be undeployed, rebuilt or deleted"""


class WrongState(DibsError):
    """{reason}"""


class WrongVerb(DibsError):
    """The requested action "{action}" can not be performed on node "{node}" while it is in state "{state}"."""


class NotOffered(DibsError):
    """Request not acceptable."""


class NodeInMaintenance(DibsError):
    """The {action} operation can't be performed on node {node} because it's in maintenance mode."""


class NodeRetired(DibsError):
    """The {action} operation can't be performed on node {node} because it is retired."""


class DriverNotFound(DibsError):
    """Could not find the following driver(s) or hardware type(s): {driver}."""


class NoConductorForDriver(DibsError):
    """No valid host was found. Reason: No conductor service registered which supports driver {driver} for conductor
    group "{group}". Ensure the driver is valid and enabled."""


class NoLiveConductor(DibsError):
    """No conductor that supports driver {driver} in conductor group "{group}" is alive just now. Please try again."""


class ConductorNotFound(DibsError):
    """Conductor {conductor} could not be found."""


class ConductorReplaced(DibsError):
    """Another process has registered as conductor {conductor}; this one stops working."""


class TaskLost(DibsError):
    """The work on node {node} was taken over by another conductor."""


class PartNotFound(DibsError):
    """{kind} {part} could not be found."""


class PartExists(DibsError):
    """A {kind} with {what} already exists."""


class PortGroupNotEmpty(DibsError):
    """Cannot complete the requested action because portgroup {portgroup} contains ports."""


class VifAttached(DibsError):
    """Unable to attach VIF because VIF {vif} is already attached to Ironic {kind} {part}"""


class VifNotAttached(DibsError):
    """Unable to detach VIF {vif} from node {node} because it is not attached to it."""


class NoFreePort(DibsError):
    """Unable to attach VIF {vif}, not enough free physical ports."""


class ChassisNotFound(DibsError):
    """Chassis {chassis} could not be found."""


class ChassisExists(DibsError):
    """A chassis with UUID {chassis} already exists."""


class ChassisNotEmpty(DibsError):
    """Cannot complete the requested action because chassis {chassis} contains nodes."""


class ValidationFailed(DibsError):
    """Failed to validate deploy or power info for node {node}: {reason}"""


class NodeHeld(DibsError):
    """Node {node} is reserved; it can be used only with the uuid of its reservation."""


class NothingToHold(DibsError):
    """No node could be reserved: {reasons}"""


class HoldNotFound(DibsError):
    """Reservation {hold} could not be found."""


class HoldExists(DibsError):
    """Instance {instance} has a node or a reservation already."""


class InstanceOfAnother(DibsError):
    """Instance {instance} belongs to another project."""
