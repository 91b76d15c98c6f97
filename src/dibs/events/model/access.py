"""Access to events: a caller sees those of its project, and a caller to whom ``list_all`` is granted sees all."""

from dibs.access.access import EVERY_PROJECT, Access, VisibleProjects
from dibs.errors import Forbidden

LIST = "dibs:event:list"
LIST_ALL = "dibs:event:list_all"


def visible_events(access: Access, asked: str | None = None) -> VisibleProjects:
    """Return the projects whose events the caller sees; ``asked`` is the only one that the caller wants to see.

    Raise Forbidden when the caller may list no events, or asks for a project that it may not see. An event without a
    project is shown only to callers that see every project.
    """
    if access.allows(LIST_ALL, {}):
        return EVERY_PROJECT if asked is None else frozenset({asked})
    project = access.actor.project
    if not project or asked not in (None, project):
        raise Forbidden(resource=LIST_ALL)
    access.require(LIST, {})
    return frozenset({project})
