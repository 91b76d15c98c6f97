"""Wait for a condition with a deadline, instead of sleeping."""

import time
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")


def eventually(condition: Callable[[], Answer], seconds: float = 60.0, what: str = "the condition") -> Answer:
    """Call ``condition`` until it returns a true value, and return that value; fail when the deadline passes.

    An AssertionError or an OSError (a server that does not listen yet) counts as a false value.
    """
    deadline = time.monotonic() + seconds
    problem: Exception | None = None
    while True:
        try:
            if answer := condition():
                return answer
        except (AssertionError, OSError) as error:
            problem = error
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not come true within {seconds:g} seconds") from problem
        time.sleep(0.02)
