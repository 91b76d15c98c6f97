"""Calendars: create, read and delete rows."""

from typing import Any

import msgspec
from sqlalchemy import Select, bindparam, func, insert, select
from sqlalchemy import delete as delete_rows

from dibs.access.access import EVERY_PROJECT, VisibleProjects
from dibs.access.actor import Actor
from dibs.calendars.model.calendars import Calendar
from dibs.calendars.model.events import calendar_event
from dibs.calendars.tables import calendars
from dibs.database import sets
from dibs.database.transaction import Row, Transaction

_SELECT = select(*(calendars.c[name] for name in Calendar.__struct_fields__))
_OF_UUID = calendars.c.uuid == bindparam("of_uuid")
_GET = _SELECT.where(_OF_UUID)
_OF_TOKEN = _SELECT.where(calendars.c.token_digest == bindparam("of_digest"))
_PAGE = _SELECT.where(calendars.c.id > bindparam("after_id")).order_by(calendars.c.id).limit(bindparam("count_max"))
_NEW = ("uuid", "token_digest", "project_id", "user_id", "node", "created_by", "creator", "created_at")
_INSERT = insert(calendars).values({name: bindparam(f"new_{name}") for name in _NEW})
_DELETE = delete_rows(calendars).where(_OF_UUID)
_decode_actor = msgspec.json.Decoder(Actor).decode


def get(tx: Transaction, uuid: str) -> Calendar | None:
    """Return a calendar by its uuid."""
    row = tx.row(_GET, {"of_uuid": uuid})
    return None if row is None else _calendar(row)


def of_token(tx: Transaction, digest: str) -> Calendar | None:
    """Return the calendar whose token has this digest."""
    row = tx.row(_OF_TOKEN, {"of_digest": digest})
    return None if row is None else _calendar(row)


def page(tx: Transaction, projects: VisibleProjects, after_id: int, count_max: int) -> list[Calendar]:
    """Return calendars of these projects, the oldest first."""
    values: dict[str, Any] = {"after_id": after_id, "count_max": count_max}
    if projects is EVERY_PROJECT:
        return [_calendar(row) for row in tx.rows(_PAGE, values)]
    named = sets.numbered("project", sorted(projects))
    return [_calendar(row) for row in tx.rows(_page_of(len(named)), {**values, **named})]


def count(tx: Transaction, project: str | None, user: str | None) -> int:
    """Return how many calendars of a project a user has created."""
    names = {"of_project": project, "of_user": user}
    return int(tx.values(_count(project is None, user is None), {k: v for k, v in names.items() if v is not None})[0])


def create(tx: Transaction, made: Calendar, digest: str) -> None:
    """Insert a calendar with the digest of its token."""
    values = {
        "uuid": made.uuid,
        "token_digest": digest,
        "project_id": made.project_id,
        "user_id": made.user_id,
        "node": made.node,
        "created_by": made.creator.user,
        "creator": msgspec.json.encode(made.creator, order="deterministic").decode(),
        "created_at": made.created_at,
    }
    tx.change(_INSERT, {f"new_{name}": values[name] for name in _NEW})
    tx.record(calendar_event(None, made))


def delete(tx: Transaction, calendar: Calendar) -> bool:
    """Delete a calendar; return False when it was deleted meanwhile."""
    if not tx.change(_DELETE, {"of_uuid": calendar.uuid}):
        return False
    tx.record(calendar_event(calendar, None))
    return True


@sets.cached
def _page_of(projects: int) -> Select[Any]:
    return _PAGE.where(calendars.c.project_id.in_(sets.binds("project", projects)))


@sets.cached
def _count(of_no_project: bool, of_no_user: bool) -> Select[Any]:
    project, user = calendars.c.project_id, calendars.c.created_by
    return (
        select(func.count())
        .select_from(calendars)
        .where(
            project.is_(None) if of_no_project else project == bindparam("of_project"),
            user.is_(None) if of_no_user else user == bindparam("of_user"),
        )
    )


def _calendar(row: Row) -> Calendar:
    return Calendar(**{**row, "creator": _decode_actor(row["creator"])})
