"""Handle Ctrl-C, SIGTERM, SIGHUP and closed pipes during a request: complete the request first, then undo it."""

import contextlib
import errno
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any, TextIO

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""SIGPIPE is not among them: Python ignores it, and a write to a closed pipe raises BrokenPipeError. A handler would
also run when the server closes a connection."""


class Interrupts(contextlib.AbstractContextManager["Interrupts"]):
    """Makes the signals raise KeyboardInterrupt; inside ``deferred`` only when the block has ended.

    A request that has been sent cannot be cancelled, and its response says what must be undone. A second signal
    interrupts at once, also inside ``deferred``. A SIGHUP that is ignored already stays ignored: see nohup(1).
    """

    def __init__(self) -> None:
        self._deferring = False
        self._pending = False
        self._former: dict[signal.Signals, Any] = {}

    def __enter__(self) -> "Interrupts":
        nohup = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
        handled = [number for number in SIGNALS if not (nohup and number == signal.SIGHUP)]
        self._former = {number: signal.signal(number, self._handle) for number in handled}
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)

    @contextlib.contextmanager
    def deferred(self) -> Iterator[None]:
        """Defer the first signal until the end of the block."""
        self._deferring = True
        try:
            yield
        finally:
            self._deferring = False
        if self._pending:
            self._pending = False
            raise KeyboardInterrupt

    def wait_for(self, process: "subprocess.Popen[Any]") -> int:
        """Forward signals to a process until it ends; return its exit code as a shell does."""

        def forward(number: int, frame: FrameType | None) -> None:
            # A terminal sends SIGINT to the whole process group itself.
            if number != signal.SIGINT or not sys.stdin.isatty():
                process.send_signal(number)

        for number in self._former:
            signal.signal(number, forward)
        try:
            status = process.wait()
        finally:
            for number in self._former:
                signal.signal(number, self._handle)
        return status if status >= 0 else 128 - status

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._deferring and not self._pending:
            self._pending = True
        else:
            raise KeyboardInterrupt


def check_readers(*streams: TextIO) -> None:
    """Raise BrokenPipeError if a stream is a pipe that its reader has closed, without writing to it."""
    poll = select.poll()
    for stream in streams:
        # A stream of a test has no file descriptor.
        with contextlib.suppress(OSError):
            poll.register(stream.fileno(), 0)
    if any(event & select.POLLERR for _, event in poll.poll(0)):
        raise BrokenPipeError(errno.EPIPE, "The reader of the output has closed the pipe")
