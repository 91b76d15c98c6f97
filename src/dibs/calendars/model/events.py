"""What events record of calendars: never the token."""

from dibs.calendars.model.calendars import Calendar
from dibs.events.model.events import Event, Watch

_CALENDAR = Watch(kind="calendar", names=("project_id", "user_id", "node"))


def calendar_event(before: Calendar | None, after: Calendar | None) -> Event | None:
    """Return the event of a calendar that is created or deleted."""
    present = after or before
    assert present is not None
    return _CALENDAR.event(before, after, object_id=present.uuid, project=present.project_id, node=present.node)
