"""Times on pages: shown and read in the time zone of the browser, which a script writes into a cookie."""

from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Struct

from dibs.console.errors import Refusal

ZONE_COOKIE = "dibs_zone"
SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NAME_LENGTH_MAX = 64
_FORM = "%Y-%m-%dT%H:%M"


class Zone(Struct, frozen=True, kw_only=True):
    """A time zone, and how times look in it."""

    name: str
    info: tzinfo

    @classmethod
    def named(cls, name: str) -> "Zone":
        """Return a zone by its name; UTC when the name is unknown here."""
        try:
            if 0 < len(name) <= _NAME_LENGTH_MAX and not name.startswith((".", "/")):
                return cls(name=name, info=ZoneInfo(name))
        except (ZoneInfoNotFoundError, ValueError, OSError):
            pass
        return cls(name="UTC", info=UTC)

    def local(self, moment: int) -> datetime:
        """Return a moment as a date of this zone."""
        return (_EPOCH + timedelta(microseconds=moment)).astimezone(self.info)

    def short(self, moment: int, now: int) -> str:
        """Return a moment as people say it: the weekday within a week, otherwise the date."""
        date, today = self.local(moment), self.local(now)
        days = (date.date() - today.date()).days
        if days == 0:
            return f"{date:%H:%M}"
        if -7 < days < 7:
            return f"{date:%a %H:%M}"
        return f"{date.day} {date:%b}{'' if date.year == today.year else date.strftime(' %Y')} {date:%H:%M}"

    def form(self, moment: int) -> str:
        """Return a moment as the value of an input."""
        return f"{self.local(moment):{_FORM}}"

    def read(self, text: str, name: str) -> int:
        """Return the moment that a form or a URL gives, in this zone unless it has an offset."""
        try:
            given = datetime.fromisoformat(text)
            moment = given if given.tzinfo is not None else given.replace(tzinfo=self.info)
            return int((moment - _EPOCH).total_seconds()) * SECOND
        except (ValueError, OverflowError):
            raise Refusal(400, f"{text[:100]!r} is not a valid date and time for {name}.") from None

    def midnight(self, moment: int) -> int:
        """Return the beginning of the day of a moment."""
        start = self.local(moment).replace(hour=0, minute=0, second=0, microsecond=0)
        return int((start - _EPOCH).total_seconds()) * SECOND

    def days_later(self, moment: int, days: int) -> int:
        """Return the same time of day some days later, also where the clock changes in between."""
        wall = self.local(moment).replace(tzinfo=None) + timedelta(days=days)
        return int((wall.replace(tzinfo=self.info) - _EPOCH).total_seconds()) * SECOND


def utc(moment: int) -> str:
    """Return a moment in UTC, for the tooltip of every time."""
    return f"{_EPOCH + timedelta(microseconds=moment):%Y-%m-%d %H:%M} UTC"


def command_form(moment: int) -> str:
    """Return a moment as the commands take it, in UTC."""
    return f"{_EPOCH + timedelta(microseconds=moment):{_FORM}}"


def iso(moment: int) -> str:
    """Return a moment for machines."""
    return f"{_EPOCH + timedelta(microseconds=moment):%Y-%m-%dT%H:%M:%SZ}"


def duration(microseconds: int) -> str:
    """Return how long something takes, with at most two units."""
    minutes = max(0, microseconds) // MINUTE
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    parts = [f"{days} d" * bool(days), f"{hours} h" * bool(hours), f"{minutes} min" * bool(minutes and not days)]
    return " ".join(filter(None, parts[:2] if days else parts)) or "less than a minute"
