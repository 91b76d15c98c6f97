"""Access to calendars, and what their feeds may show.

A caller manages the calendars of its project; ``create_all``, ``get_all`` and ``delete_all`` cover every project. A
feed shows what its creator may list, by the rules for leases, allocations and nodes, and nothing of another project
than the one that the calendar is about.
"""

from dibs.access.access import EVERY_PROJECT, Access, VisibleProjects
from dibs.allocations.model.access import visible_projects
from dibs.calendars.model.calendars import Calendar
from dibs.calendars.model.errors import CalendarNotFound
from dibs.errors import Forbidden
from dibs.leases.model.access import require_in_own_project, visible_leases

GET = "dibs:calendar:get"
GET_ALL = "dibs:calendar:get_all"
CREATE = "dibs:calendar:create"
CREATE_ALL = "dibs:calendar:create_all"
DELETE = "dibs:calendar:delete"
DELETE_ALL = "dibs:calendar:delete_all"


def visible_calendars(access: Access) -> VisibleProjects:
    """Return the projects whose calendars the caller sees; raise Forbidden when there are none."""
    if access.allows(GET_ALL, {}):
        return EVERY_PROJECT
    if not access.actor.project:
        raise Forbidden(resource=GET_ALL)
    access.require(GET, {})
    return frozenset({access.actor.project})


def check_calendar(access: Access, calendar: Calendar | None, ident: str) -> Calendar:
    """Return a calendar that the caller may see; for any other caller it does not exist."""
    visible = visible_calendars(access)
    if calendar is None or (visible is not EVERY_PROJECT and calendar.project_id not in visible):
        raise CalendarNotFound(calendar=ident)
    return calendar


def require_to_create(access: Access, project: str | None) -> None:
    """Raise Forbidden unless the caller may create a calendar of a project; None stands for all."""
    if project is None or project != access.actor.project:
        access.require(CREATE_ALL, {})
    else:
        access.require(CREATE, {})


def require_to_delete(access: Access, calendar: Calendar) -> None:
    """Raise Forbidden unless the caller may delete a calendar that it sees; its creator always may."""
    actor = access.actor
    if actor.user is not None and (actor.user, actor.project) == (calendar.creator.user, calendar.creator.project):
        return
    own = calendar.project_id is not None and calendar.project_id == actor.project
    access.require(DELETE if own else DELETE_ALL, {})


def listed_leases(access: Access) -> VisibleProjects:
    """Return the projects whose leases the creator of a calendar may list now, by the policy of leases."""
    try:
        require_in_own_project(access, "blazar:leases:get")
    except Forbidden:
        return frozenset()
    return visible_leases(access)


def listed_allocations(access: Access) -> VisibleProjects:
    """Return the projects whose allocations the creator of a calendar may list now."""
    try:
        return visible_projects(access)
    except Forbidden:
        return frozenset()


def shown_projects(calendar: Calendar, listed: VisibleProjects) -> VisibleProjects:
    """Return the projects whose entries a feed shows, of those that its creator may list."""
    if calendar.project_id is None:
        return listed
    own = frozenset({calendar.project_id})
    return own if listed is EVERY_PROJECT else own & listed
