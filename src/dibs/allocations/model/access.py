"""Access to allocations: which ones a caller sees, and what the caller may do with one.

Operations call these functions with the allocation that they read in their transaction, so a call over RPC is checked
exactly like a local one. An allocation that the caller may not see does not exist for the caller (AllocationNotFound);
what the caller may not do with a visible one is Forbidden.
"""

from dibs.access.access import EVERY_PROJECT, Access, Target, VisibleProjects
from dibs.allocations.model.allocations import Allocation
from dibs.allocations.model.errors import AllocationNotFound
from dibs.errors import Forbidden

SEE = "baremetal:allocation:get"
LIST = "baremetal:allocation:list"
LIST_ALL = "baremetal:allocation:list_all"
CREATE = "baremetal:allocation:create"
CREATE_FOR_ANY_PROJECT = "baremetal:allocation:create_restricted"
UPDATE = "baremetal:allocation:update"
DELETE = "baremetal:allocation:delete"

_NO_TARGET: Target = {}


def check_allocation(access: Access, allocation: Allocation | None, ident: str, *rules: str) -> Allocation:
    """Return the allocation; raise AllocationNotFound for none, or for one that the caller may not see.

    Raise Forbidden when a rule is not granted. ``ident`` is what the caller sent: the error must not reveal more.
    """
    if allocation is None:
        raise AllocationNotFound(allocation=ident)
    # Rules compare text: an allocation without an owner must not match a caller without a project.
    target = {"allocation.owner": allocation.owner} if allocation.owner else _NO_TARGET
    if not access.allows(SEE, target):
        raise AllocationNotFound(allocation=ident)
    for rule in rules:
        access.require(rule, target)
    return allocation


def owner_of_new_allocation(access: Access, asked: str | None) -> str | None:
    """Return the project that a new allocation belongs to: the caller's, unless the caller acts for the whole system.

    Quirk not copied: without ``enforce_new_defaults`` Ironic lets a project's member ask for the nodes of all projects.
    """
    project = access.actor.project
    if not access.allows(CREATE_FOR_ANY_PROJECT, _NO_TARGET):
        owner = project if asked is None else asked
    else:
        owner = asked if access.actor.system_scope else asked or project
    check_owner(access, owner)
    return owner


def require_to_create(access: Access) -> None:
    """Raise Forbidden for a caller that may create no allocation at all: before the request's body is read."""
    access.require(CREATE, _NO_TARGET)


def check_owner(access: Access, owner: str | None) -> None:
    """Raise Forbidden unless the caller may create an allocation for this project; None stands for every project."""
    require_to_create(access)
    if not owner or owner != access.actor.project:
        access.require(CREATE_FOR_ANY_PROJECT, _NO_TARGET)


def visible_projects(access: Access, asked: str | None = None) -> VisibleProjects:
    """Return the projects whose allocations a list shows, of which ``asked`` selects one; raise Forbidden for none."""
    project = access.actor.project
    if access.allows(LIST_ALL, _NO_TARGET):
        return EVERY_PROJECT if asked is None else frozenset({asked})
    if not project or (asked and asked != project):
        raise Forbidden(resource=LIST_ALL)
    access.require(LIST, _NO_TARGET)
    return frozenset({project})
