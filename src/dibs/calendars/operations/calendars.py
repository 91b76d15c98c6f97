"""Create, list, show and delete calendars. A new token takes a new calendar: the old one is deleted."""

import uuid

from msgspec import Struct

from dibs.access.access import Access
from dibs.calendars.model.access import RULES, check_calendar, require_to_delete
from dibs.calendars.model.calendars import CALENDARS_MAX, Calendar
from dibs.calendars.model.errors import CalendarNotFound, TooManyCalendars
from dibs.calendars.queries import calendars
from dibs.database.transaction import Transaction
from dibs.errors import BadValue
from dibs.machines.operations.nodes import GetNode, get_node


class CreateCalendar(Struct, frozen=True, kw_only=True):
    """Create a calendar of a project, of every project, or of these only what a user or a node has."""

    project: str | None
    """None stands for every project."""
    mine: bool = False
    """Only what the caller created."""
    node: str | None = None
    """Only what occupies this node, given by uuid or name."""
    token_digest: str


class ListCalendars(Struct, frozen=True, kw_only=True):
    """List the calendars that the caller sees."""

    marker: str | None = None
    """The uuid of the last calendar of the page before."""
    limit: int


def create_calendar(tx: Transaction, access: Access, now: int, command: CreateCalendar) -> Calendar:
    """Create a calendar of what the caller may see."""
    RULES.require_to_create(access, command.project)
    actor = access.actor
    if command.mine and actor.user is None:
        raise BadValue(reason="The request has no user, so there is no calendar of a user.")
    node = None if command.node is None else get_node(tx, access, now, GetNode(ident=command.node, rules=())).node
    # Requests at the same moment may exceed the limit by a few: it bounds the table, and nothing else depends on it.
    if calendars.count(tx, command.project, actor.user) >= CALENDARS_MAX:
        raise TooManyCalendars(limit=CALENDARS_MAX)
    made = Calendar(
        id=0,
        uuid=str(uuid.uuid4()),
        project_id=command.project,
        user_id=actor.user if command.mine else None,
        node=None if node is None else node.uuid,
        creator=actor,
        created_at=now,
    )
    calendars.create(tx, made, command.token_digest)
    return made


def get_calendar(tx: Transaction, access: Access, now: int, ident: str) -> Calendar:
    """Return a calendar by its uuid."""
    return check_calendar(access, calendars.get(tx, ident), ident)


def list_calendars(tx: Transaction, access: Access, now: int, command: ListCalendars) -> list[Calendar]:
    """Return one page of the calendars that the caller sees, the oldest first."""
    visible = RULES.visible(access)
    after = 0 if command.marker is None else get_calendar(tx, access, now, command.marker).id
    return calendars.page(tx, visible, after, command.limit)


def delete_calendar(tx: Transaction, access: Access, now: int, ident: str) -> None:
    """Delete a calendar: its token opens nothing from now on."""
    calendar = get_calendar(tx, access, now, ident)
    require_to_delete(access, calendar)
    if not calendars.delete(tx, calendar):
        raise CalendarNotFound(calendar=ident)
