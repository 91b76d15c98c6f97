"""Access to quotas: a caller sees that of its project, and one to whom ``list_all`` is granted sees all."""

from dibs.access.access import EVERY_PROJECT, Access, VisibleProjects
from dibs.errors import Forbidden

GET = "dibs:quota:get"
LIST_ALL = "dibs:quota:list_all"
UPDATE = "dibs:quota:update"


def visible_quotas(access: Access) -> VisibleProjects:
    """Return the projects whose quotas the caller sees; raise Forbidden when there is none."""
    if access.allows(LIST_ALL, {}):
        return EVERY_PROJECT
    if not access.actor.project:
        raise Forbidden(resource=LIST_ALL)
    access.require(GET, {})
    return frozenset({access.actor.project})


def require_to_see(access: Access, project: str) -> None:
    """Raise Forbidden unless the caller may see the quota of a project."""
    visible = visible_quotas(access)
    if visible is not EVERY_PROJECT and project not in visible:
        raise Forbidden(resource=LIST_ALL)


def require_to_update(access: Access) -> None:
    """Raise Forbidden unless the caller may change quotas."""
    access.require(UPDATE, {})
