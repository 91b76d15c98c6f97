"""Run many callers at the same moment."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Answer = TypeVar("Answer")


def all_at_once(callers: int, call: Callable[[int], Answer]) -> list[Answer | Exception]:
    """Start every caller at the same moment; return the answer or the exception of each."""
    gate = threading.Barrier(callers)

    def run(number: int) -> Answer | Exception:
        gate.wait(timeout=30)
        try:
            return call(number)
        except Exception as error:
            return error

    with ThreadPoolExecutor(callers) as pool:
        return list(pool.map(run, range(callers)))
