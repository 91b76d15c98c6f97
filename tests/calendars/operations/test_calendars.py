"""Create, list and delete calendars."""

import pytest

from dibs.access.access import SERVICE
from dibs.access.machine_policy import MachinePolicy
from dibs.calendars.model.calendars import CALENDARS_MAX, digest_of
from dibs.calendars.model.errors import CalendarNotFound, TooManyCalendars
from dibs.calendars.operations.calendars import (
    CreateCalendar,
    ListCalendars,
    create_calendar,
    delete_calendar,
    get_calendar,
    list_calendars,
)
from dibs.calendars.operations.feeds import find_calendar
from dibs.errors import BadValue, Forbidden
from dibs.machines.model.errors import NodeNotFound
from tests.builders import Ledger
from tests.calendars.builders import SYSTEM, open_calendar, someone
from tests.event_rows import rows


def test_calendar_is_found_by_its_token_until_it_is_deleted(ledger: Ledger) -> None:
    command = CreateCalendar(project="p", token_digest=digest_of("token"))
    made = ledger.runner.write(create_calendar, MachinePolicy().access(someone()), command)
    found = ledger.runner.read(find_calendar, SERVICE, digest_of("token"))
    assert found is not None
    assert (found.uuid, found.creator) == (made.uuid, someone())
    assert ledger.runner.read(find_calendar, SERVICE, digest_of("other")) is None
    ledger.runner.write(delete_calendar, MachinePolicy().access(someone()), made.uuid)
    assert ledger.runner.read(find_calendar, SERVICE, digest_of("token")) is None
    with pytest.raises(CalendarNotFound):
        ledger.runner.write(delete_calendar, MachinePolicy().access(someone()), made.uuid)


def test_creation_and_deletion_are_recorded_without_the_token(ledger: Ledger) -> None:
    made = open_calendar(ledger, someone(), mine=True, token_digest=digest_of("token"))
    ledger.runner.write(delete_calendar, MachinePolicy().access(someone()), made.uuid)
    events = [row for row in rows(ledger.store) if row["type"].startswith("calendar.")]
    assert [row["type"] for row in events] == ["calendar.created", "calendar.deleted"]
    assert events[0]["after_state"] == {"project_id": "p", "user_id": "u"}


def test_user_may_have_a_bounded_number_of_calendars(ledger: Ledger) -> None:
    for _ in range(CALENDARS_MAX):
        open_calendar(ledger, someone())
    with pytest.raises(TooManyCalendars):
        open_calendar(ledger, someone())
    open_calendar(ledger, someone(user="other"))
    open_calendar(ledger, someone(project="q"))


def test_calendar_of_a_node_needs_the_right_to_see_it(ledger: Ledger) -> None:
    node = ledger.enrol(name="rack1-01", owner="p")
    assert open_calendar(ledger, someone(), node="rack1-01").node == node.uuid
    for actor in (someone(project="q"), SYSTEM):
        with pytest.raises(NodeNotFound):
            open_calendar(ledger, actor, node="rack1-01" if actor.project else "unknown")


def test_calendar_of_a_user_needs_a_user(ledger: Ledger) -> None:
    access = MachinePolicy().access(type(SYSTEM)(roles=SYSTEM.roles, system_scope=True))
    with pytest.raises(BadValue, match="no user"):
        ledger.runner.write(create_calendar, access, CreateCalendar(project=None, mine=True, token_digest="d"))


def test_calendars_are_listed_in_pages_and_only_those_of_the_project(ledger: Ledger) -> None:
    made = [open_calendar(ledger, someone()).uuid for _ in range(3)]
    other = open_calendar(ledger, someone(project="q")).uuid
    access = MachinePolicy().access(someone("reader"))
    first = ledger.runner.read(list_calendars, access, ListCalendars(limit=2))
    rest = ledger.runner.read(list_calendars, access, ListCalendars(limit=2, marker=first[-1].uuid))
    assert [calendar.uuid for calendar in (*first, *rest)] == made
    with pytest.raises(CalendarNotFound):
        ledger.runner.read(get_calendar, access, other)
    system = ledger.runner.read(list_calendars, MachinePolicy().access(SYSTEM), ListCalendars(limit=10))
    assert [calendar.uuid for calendar in system] == [*made, other]


def test_readers_delete_only_their_own_calendars(ledger: Ledger) -> None:
    theirs, own = open_calendar(ledger, someone()), open_calendar(ledger, someone("reader", user="r"))
    access = MachinePolicy().access(someone("reader", user="r"))
    with pytest.raises(Forbidden):
        ledger.runner.write(delete_calendar, access, theirs.uuid)
    ledger.runner.write(delete_calendar, access, own.uuid)
    ledger.runner.write(delete_calendar, MachinePolicy().access(someone(user="colleague")), theirs.uuid)
