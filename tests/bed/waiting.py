"""Wait for a condition with a deadline, instead of sleeping."""

import time
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")


def eventually(condition: Callable[[], Answer], seconds: float = 60.0, what: str = "the condition") -> Answer:
    """Call ``condition`` until it returns a true value, and return that value; fail when the deadline passes.

    An AssertionError or an OSError (a server that does not listen yet) counts as a false value.
    """
    started = time.monotonic()
    problem: Exception | None = None
    while True:
        try:
            if answer := condition():
                return answer
        except (AssertionError, OSError) as error:
            problem = error
        if time.monotonic() > started + seconds:
            raise AssertionError(f"{what} did not come true within {seconds:g} seconds") from problem
        # A long wait asks less often: many conditions cost a request or a query.
        time.sleep(min(0.2, max(0.01, (time.monotonic() - started) / 10)))
