"""Every way the ledger refuses, in the ledger's own words.

The docstring of a class is its message: the names in braces are the keyword arguments that raise it. No error knows an
HTTP status; each dialect has one table from these classes to its statuses and bodies, and a test proves it complete.

To add one: write the class below with its message, add a row to the ``errors.py`` of each dialect, and run
``tests/architecture``, which names the dialect that forgot.
"""

from typing import Any


class DibsError(Exception):
    """Something was refused."""

    def __init__(self, **details: Any) -> None:
        self.details = details
        super().__init__(" ".join((type(self).__doc__ or "").split()).format(**details))


class BadValue(DibsError):
    """{reason}"""


class InvalidTrait(DibsError):
    """'{trait}' is not a valid trait: {reason}."""


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


class NodeBooked(NodeClaimed):
    """Node {node} is booked: it is promised to reservation {reservations} of a lease."""


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


class HostKeptForLeases(DibsError):
    """Host {host} is kept for leases: only an instance of a reservation on it can use it."""


class ProviderIsHost(DibsError):
    """Resource provider {provider} belongs to host {host}, which can be booked: remove the host first."""


class NodeProtected(DibsError):
    """Node {node} is protected and cannot be undeployed, rebuilt or deleted"""


class WrongState(DibsError):
    """{reason}"""


class WrongVerb(DibsError):
    """The requested action "{action}" can not be performed on node "{node}" while it is in state "{state}"."""


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


class PortNotFound(DibsError):
    """Port {port} could not be found."""


class PortExists(DibsError):
    """A port with {field} {value} already exists."""


class NodeRequestNotFound(DibsError):
    """Allocation {request} could not be found."""


class NodeHasNoRequest(DibsError):
    """Allocation for node {node} was not found"""


class NodeRequestExists(DibsError):
    """An allocation with {field} {value} already exists."""


class InstanceInUse(DibsError):
    """Instance {instance} is in use already, so that no allocation can have its UUID."""


class CannotBackfill(DibsError):
    """Cannot backfill an allocation for node {node}: {reason}."""


class NobodyToFindNodes(DibsError):
    """No conductor is alive just now that could find a node. Please try again."""


class ValidationFailed(DibsError):
    """Failed to validate deploy or power info for node {node}: {reason}"""


class ProviderNotFound(DibsError):
    """No resource provider with uuid {provider} found"""


class ProviderOwnedByNode(DibsError):
    """Resource provider {provider} is bare-metal node {node}: change the node instead."""


class ProviderExists(DibsError):
    """Conflicting resource provider {field}: {value} already exists."""


class BadParent(DibsError):
    """{reason}"""


class ProviderHasChildren(DibsError):
    """Unable to delete parent resource provider {provider}: It has child resource providers."""


class ProviderInUse(DibsError):
    """Unable to delete resource provider {provider}: Resource provider has allocations."""


class InvalidCapacity(DibsError):
    """Invalid inventory for '{resource_class}' on resource provider '{provider}'. The reserved value is {relation}
    total."""


class InventoryInUse(DibsError):
    """Inventory for '{resource_classes}' on resource provider '{provider}' in use."""


class InventoryExists(DibsError):
    """Resource provider {provider} has an inventory of class {resource_class} already."""


class InventoryNotFound(DibsError):
    """No inventory of class {resource_class} for {provider}"""


class ResourceClassExists(DibsError):
    """Resource class {resource_class} already exists."""


class ResourceClassInUse(DibsError):
    """Cannot delete resource class {resource_class}. Class is in use in inventory."""


class StandardResourceClass(DibsError):
    """Cannot {action} standard resource class {resource_class}."""


class NoSuchTrait(DibsError):
    """No such trait(s): {traits}."""


class TraitInUse(DibsError):
    """The trait {trait} is in use by a resource provider."""


class StandardTrait(DibsError):
    """Cannot delete standard trait {trait}."""


class ClaimedProviderNotFound(DibsError):
    """Allocation for resource provider '{provider}' that does not exist."""


class ResourceClassNotFound(DibsError):
    """No such resource class {resource_class}."""


class NoSuchInventory(DibsError):
    """Inventory for '{resource_class}' on resource provider '{provider}' invalid."""


class ConstraintsViolated(DibsError):
    """Unable to create allocation for '{resource_class}' on resource provider '{provider}'. The requested amount would
    violate inventory constraints."""


class CapacityExceeded(DibsError):
    """Unable to create allocation for '{resource_class}' on resource provider '{provider}'. The requested amount would
    exceed the capacity."""


class ConsumerGenerationConflict(DibsError):
    """consumer generation conflict - expected {expected} but got {got}"""


class ProviderGenerationConflict(DibsError):
    """resource provider generation conflict: {provider} is at generation {current}, not {sent}"""


class NothingClaimed(DibsError):
    """No allocations for consumer '{consumer}'"""


class HostNotFound(DibsError):
    """Host '{host}' not found!"""


class NoSuchHost(DibsError):
    """Object with {{'host_id': '{host}'}} not found"""


class HostExists(DibsError):
    """Conflict on creating resource provider {provider}"""


class HostInUse(DibsError):
    """Servers {consumers} found for host {host}"""


class HostBooked(DibsError):
    """Can't delete host {host}. The host is reserved."""


class HostPropertyInUse(DibsError):
    """Can't add extracapabilities {names} to Host {host}"""


class HostPropertyNotFound(DibsError):
    """There is no host with the property {name}."""


class MalformedRequirements(DibsError):
    """Malformed requirements {requirements}"""


class LeaseNotFound(DibsError):
    """Object with {{'lease_id': '{lease}'}} not found"""


class BadLease(DibsError):
    """{reason}"""


class OutsideLease(DibsError):
    """Datetime is out of lease limits"""


class LeaseTooLong(DibsError):
    """Lease duration of {seconds} seconds is greater than the maximum of {seconds_max} seconds"""


class LeaseRefused(DibsError):
    """{reason}"""


class LeaseConflict(DibsError):
    """{reason}"""


class NotEnoughHosts(DibsError):
    """Not enough hosts available: {shortage}"""


class FlavorNotFound(DibsError):
    """Flavor {flavor} could not be found."""


class ComputeAway(DibsError):
    """The compute service that keeps the flavors cannot be asked right now. Please try again. ({problem})"""


class FlavorExists(DibsError):
    """Flavor with {field} {value} already exists."""


class FlavorOfReservation(DibsError):
    """Flavor {flavor} belongs to a reservation: it changes and goes with that."""


class FlavorAccessExists(DibsError):
    """Flavor access already exists for flavor {flavor} and project {project} combination."""


class FlavorAccessNotFound(DibsError):
    """Flavor access not found for {flavor} / {project} combination."""


class FlavorSpecNotFound(DibsError):
    """Flavor {flavor} has no extra specs with key {name}."""


class NoFlavorAccess(DibsError):
    """Access list not available for public flavors."""


class PublicFlavor(DibsError):
    """Can not add or remove access of a public flavor."""


class ServerNotFound(DibsError):
    """Instance {server} could not be found."""


class ServerHasNoMachine(DibsError):
    """Cannot '{action}' instance {server}: it is no bare-metal node, and its host does not take orders from here."""


class HypervisorNotFound(DibsError):
    """Hypervisor with ID '{hypervisor}' could not be found."""


class ServiceNotFound(DibsError):
    """Could not find binary {binary} on host {host}."""


class Forbidden(DibsError):
    """Access was denied to the following resource: {resource}"""


class StoreUnavailable(DibsError):
    """The database cannot be reached right now. Nothing is known to be lost; please try again."""


class StoreContended(DibsError):
    """The database refused this transaction {attempts} times in a row because of others. Please try again."""
