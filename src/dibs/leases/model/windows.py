"""Windows of time, half-open: a window contains its start and not its end."""

from msgspec import Struct

SECOND = 1_000_000
MINUTE = 60 * SECOND


class Window(Struct, frozen=True, order=True):
    """The time from start up to end, in microseconds."""

    start: int
    end: int

    @property
    def length(self) -> int:
        """The duration."""
        return self.end - self.start

    def overlaps(self, start: int, end: int) -> bool:
        """Return True when another window has a moment in common with this one; adjacent windows have none."""
        return start < self.end and self.start < end

    def widened(self, minutes: int) -> "Window":
        """Return the window with minutes added on both sides."""
        return Window(self.start - minutes * MINUTE, self.end + minutes * MINUTE)

    def moved_to(self, start: int) -> "Window":
        """Return a window of the same duration with another start."""
        return Window(start, start + self.length)


def to_minute(moment: int) -> int:
    """Return the start of the minute that contains a moment."""
    return moment - moment % MINUTE


def minute_after(moment: int) -> int:
    """Return the first full minute at or after a moment."""
    return moment + -moment % MINUTE
