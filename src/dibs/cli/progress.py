"""How a wait goes: a line that moves on a terminal, plain lines now and then elsewhere."""

import contextlib
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from dibs.client import Progress

LONGEST_SILENCE = 60.0


class ShownProgress(contextlib.AbstractContextManager["ShownProgress"]):
    """Call it with each step; it writes nothing when nobody has to wait."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._status: Any = None
        self._next_line = 0.0

    def __call__(self, progress: "Progress", more: str = "") -> None:
        """Show one step."""
        text = f"Waiting for {progress.text} ({progress.seconds:.0f} s)."
        text = f"{text} {more}." if more else text
        if self._stream.isatty():
            self._show(text)
        elif progress.seconds >= self._next_line:
            self._next_line = progress.seconds + min(max(progress.seconds, 1.0), LONGEST_SILENCE)
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
