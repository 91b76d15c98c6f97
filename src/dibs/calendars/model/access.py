"""Access to calendars, and what their feeds may show.

A caller manages the calendars of its project; ``create_all``, ``get_all`` and ``delete_all`` cover every project. A
feed shows what its creator may list, by the rules for leases, allocations and nodes, and nothing of another project
than the one that the calendar is about.
"""

from dibs.access.access import EVERY_PROJECT, Access, VisibleProjects
from dibs.access.project_rules import ProjectRules
from dibs.allocations.model.access import visible_projects
from dibs.calendars.model.calendars import Calendar
from dibs.calendars.model.errors import CalendarNotFound
from dibs.errors import Forbidden
from dibs.leases.model.access import require_in_own_project, visible_leases

RULES = ProjectRules("dibs:calendar")


def check_calendar(access: Access, calendar: Calendar | None, ident: str) -> Calendar:
    """Return a calendar that the caller may see; for any other caller it does not exist."""
    sees = RULES.sees(access, calendar.project_id if calendar is not None else None)
    if calendar is None or not sees:
        raise CalendarNotFound(calendar=ident)
    return calendar


def require_to_delete(access: Access, calendar: Calendar) -> None:
    """Raise Forbidden unless the caller may delete a calendar that it sees; its creator always may."""
    actor = access.actor
    if actor.user is not None and (actor.user, actor.project) == (calendar.creator.user, calendar.creator.project):
        return
    RULES.require_to_delete(access, calendar.project_id)


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
