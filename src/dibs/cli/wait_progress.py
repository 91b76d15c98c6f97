"""Show the progress of a wait: a status line on a terminal, otherwise a line now and then."""

import contextlib
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from dibs.client import Progress

LONGEST_SILENCE_SECONDS = 60.0


class WaitProgress(contextlib.AbstractContextManager["WaitProgress"]):
    """A callback for the progress of a wait. It prints nothing if there is no wait."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._status: Any = None
        self._next_line = 0.0

    def __call__(self, progress: "Progress", reason: str = "") -> None:
        """Show one step, with the reason for the wait if it is known."""
        text = f"Waiting for {progress.text} ({progress.seconds:.0f} s)."
        text = f"{text} {reason}." if reason else text
        if self._stream.isatty():
            self._show(text)
        elif progress.seconds >= self._next_line:
            self._next_line = progress.seconds + min(max(progress.seconds, 1.0), LONGEST_SILENCE_SECONDS)
            print(text, file=self._stream, flush=True)

    def __exit__(self, *error: object) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None

    def _show(self, text: str) -> None:
        from rich.console import Console
        from rich.text import Text

        if self._status is None:
            self._status = Console(file=self._stream).status(Text(text))
            self._status.start()
        self._status.update(Text(text))
