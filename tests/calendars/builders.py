"""Calendars for tests."""

import secrets
from typing import Any

from dibs.access.actor import Actor
from dibs.access.lease_policy import LeasePolicy
from dibs.access.machine_policy import MachinePolicy
from dibs.calendars.model.access import listed_leases
from dibs.calendars.model.calendars import Calendar, Feed, digest_of
from dibs.calendars.operations.calendars import CreateCalendar, create_calendar
from dibs.calendars.operations.feeds import ReadFeed, read_feed
from dibs.http.auth import with_implied_roles
from tests.builders import Ledger

SYSTEM = Actor(user="root", roles=with_implied_roles({"admin"}), system_scope=True)


def someone(role: str = "member", project: str = "p", user: str = "u") -> Actor:
    """Return a user with a role in a project."""
    return Actor(user=user, project=project, roles=with_implied_roles({role}))


def open_calendar(ledger: Ledger, actor: Actor, **values: Any) -> Calendar:
    """Create a calendar under the default policy, of the project of its creator unless the test says otherwise."""
    digest = digest_of(secrets.token_urlsafe())
    command = CreateCalendar(**{"project": actor.project, "token_digest": digest, **values})
    return ledger.runner.write(create_calendar, MachinePolicy().access(actor), command)


def feed_of(ledger: Ledger, calendar: Calendar) -> Feed:
    """Return what a calendar shows, under the default policy."""
    projects = listed_leases(LeasePolicy().access(calendar.creator))
    command = ReadFeed(calendar=calendar, lease_projects=projects)
    return ledger.runner.read(read_feed, MachinePolicy().access(calendar.creator), command)


def names(ledger: Ledger, calendar: Calendar) -> set[str]:
    """Return the names of the entries that a calendar shows."""
    return {entry.name for entry in feed_of(ledger, calendar).entries}
