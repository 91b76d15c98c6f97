"""What a caller may do with leases and hosts: Blazar's rules, and those about maintenance."""

from dibs.access.access import Access, Target, VisibleProjects, visible_projects
from dibs.leases.model.leases import Lease


def require_on_lease(access: Access, rule: str, lease: Lease) -> None:
    """Raise Forbidden unless the caller may do this to the lease.

    Quirk: a lease of another project is refused (403), not hidden (404), as in Blazar.
    """
    access.require(rule, _target(lease.project_id))


def require_in_own_project(access: Access, rule: str) -> None:
    """Raise Forbidden unless the caller may do this in the project that the request is scoped to."""
    access.require(rule, _target(access.actor.project))


def require_to_see_maintenance(access: Access) -> None:
    """Raise Forbidden unless the caller may see which hosts are maintained, and when."""
    access.require("dibs:maintenance:get", {})


def require_to_maintain(access: Access) -> None:
    """Raise Forbidden unless the caller may plan and cancel maintenance."""
    access.require("dibs:maintenance:update", {})


def visible_leases(access: Access) -> VisibleProjects:
    """Return the projects whose leases and private flavors the caller sees."""
    return visible_projects(access.actor, every=is_operator(access))


def is_operator(access: Access) -> bool:
    """Return True when the caller sees the leases of every project, and the private properties of hosts."""
    return access.allows("admin", {})


def _target(project: str | None) -> Target:
    # Rules compare text, so None would equal the word "None". A target without a project belongs to no caller.
    return {} if project is None else {"project_id": project}
