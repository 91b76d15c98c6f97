"""Spans of time: half open, from their start up to but without their end."""

from dataclasses import dataclass

SECOND = 1_000_000
MINUTE = 60 * SECOND


@dataclass(frozen=True, slots=True)
class Window:
    """From one moment up to another."""

    start: int
    end: int

    @property
    def length(self) -> int:
        """How long it is."""
        return self.end - self.start

    def overlaps(self, start: int, end: int) -> bool:
        """Whether another span has a moment in common with it; one that begins where it ends has none."""
        return start < self.end and self.start < end

    def widened(self, minutes: int) -> "Window":
        """With so many minutes more on both sides."""
        return Window(self.start - minutes * MINUTE, self.end + minutes * MINUTE)

    def moved_to(self, start: int) -> "Window":
        """As long, at another time."""
        return Window(start, start + self.length)


def to_minute(moment: int) -> int:
    """The minute in which a moment lies."""
    return moment - moment % MINUTE


def minute_after(moment: int) -> int:
    """The first full minute from a moment on."""
    return moment + -moment % MINUTE
