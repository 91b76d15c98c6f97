"""Ctrl-C and SIGTERM while something is being asked for: it is finished, and then taken back."""

import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interruptions(contextlib.AbstractContextManager["Interruptions"]):
    """Both signals raise KeyboardInterrupt, but where they are held off only when that is over.

    A request that is on its way cannot be called back, and its answer says what would have to be. Who insists, by a
    second signal, is heard at once.
    """

    def __init__(self) -> None:
        self._held_off = False
        self._waiting = False
        self._former: dict[int, Any] = {}

    def __enter__(self) -> "Interruptions":
        self._former = {number: signal.signal(number, self._come) for number in SIGNALS}
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)

    @contextlib.contextmanager
    def held_off(self) -> Iterator[None]:
        """Nothing is interrupted in here; afterwards it is, if somebody wanted it."""
        self._held_off = True
        try:
            yield
        finally:
            self._held_off = False
        if self._waiting:
            self._waiting = False
            raise KeyboardInterrupt

    def wait_for(self, process: "subprocess.Popen[Any]") -> int:
        """Wait for a command, which gets the signals in our stead; its exit code as a shell would give it."""

        def pass_on(number: int, frame: FrameType | None) -> None:
            # At a terminal Ctrl-C reaches everybody by itself.
            if number != signal.SIGINT or not sys.stdin.isatty():
                process.send_signal(number)

        for number in SIGNALS:
            signal.signal(number, pass_on)
        try:
            status = process.wait()
        finally:
            for number in SIGNALS:
                signal.signal(number, self._come)
        return status if status >= 0 else 128 - status

    def _come(self, number: int, frame: FrameType | None) -> None:
        if self._held_off and not self._waiting:
            self._waiting = True
        else:
            raise KeyboardInterrupt
