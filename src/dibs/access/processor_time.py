"""The processor time that a thread spends on its own work, for the limits of each caller.

A thread may work for others: on SQLite one of the threads that write runs the writes of all that wait.
"""

import threading
import time


class _Shifted(threading.local):
    """The seconds of this thread that others owe, less those that it owes to others."""

    seconds = 0.0


_SHIFTED = _Shifted()


def own_seconds() -> float:
    """Return the processor time that this thread, or another one for it, has spent on its work."""
    return time.thread_time() - _SHIFTED.seconds


def spent_for_others(seconds: float) -> None:
    """Do not count processor time of this thread as its own."""
    _SHIFTED.seconds += seconds


def spent_by_another(seconds: float) -> None:
    """Count processor time of another thread as that of this one."""
    _SHIFTED.seconds -= seconds
