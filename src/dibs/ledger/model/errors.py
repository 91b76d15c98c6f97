"""Errors about providers, inventories, resource classes, traits and claims."""

from dibs.errors import DibsError


class InvalidTrait(DibsError):
    """'{trait}' is not a valid trait: {reason}."""


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
