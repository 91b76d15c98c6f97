"""Refusals about calendars."""

from dibs.errors import DibsError


class CalendarNotFound(DibsError):
    """Calendar {calendar} could not be found."""


class TooManyCalendars(DibsError):
    """A user may have at most {limit} calendars in a project. Delete one that is no longer used."""
