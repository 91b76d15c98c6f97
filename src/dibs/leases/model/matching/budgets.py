"""How much work a search may do."""

from collections.abc import Callable

STEPS_MAX = 200_000
"""A step is one host in one window, or one of its bookings."""
SECONDS_MAX = 0.25
CLOCK_STEPS = 100
"""The steps between two looks at the clock, which takes as long as a step: they take less than a millisecond."""


class BudgetSpent(Exception):
    """A search has used up its steps or its time."""


def _stopped() -> float:
    return 0.0


class SearchBudget:
    """Limits the steps and the time of one search.

    ``clock`` returns seconds; without one only the steps count. With the CPU time of the thread (``time.thread_time``)
    the same search ends in the same way on an idle and on a busy machine.
    """

    def __init__(
        self, clock: Callable[[], float] = _stopped, *, steps_max: int = STEPS_MAX, seconds_max: float = SECONDS_MAX
    ) -> None:
        self._clock = clock
        self._steps_max = steps_max
        self._ends_at = clock() + seconds_max
        self._next_look = 0
        self.steps = 0
        """The number of steps taken."""

    def spend(self, steps: int) -> None:
        """Count steps about to be taken; raise BudgetSpent when they are not left, or when the time is over."""
        if self.steps + steps > self._steps_max:
            raise BudgetSpent
        if self.steps >= self._next_look:
            if self._clock() > self._ends_at:
                raise BudgetSpent
            self._next_look = self.steps + CLOCK_STEPS
        self.steps += steps
