"""Show the progress of an import: bars on a terminal, otherwise a line every few seconds."""

import contextlib
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from dibs.importing import ProgressListener

SECONDS_BETWEEN_LINES = 5.0


@contextlib.contextmanager
def show_progress(stream: TextIO, silent: bool) -> "Iterator[ProgressListener]":
    """Return a listener that shows progress on the stream until the context ends."""
    if silent:
        yield Silent()
    elif stream.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description:<16}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=Console(file=stream)) as progress:
            yield Bars(progress)
    else:
        yield Lines(stream)


class Silent:
    """Shows nothing."""

    def begin(self, noun: str, total: int | None) -> None:
        """See ProgressListener."""

    def advance(self, noun: str) -> None:
        """See ProgressListener."""


class Bars:
    """One bar for each kind of object."""

    def __init__(self, progress: "Progress") -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}

    def begin(self, noun: str, total: int | None) -> None:
        """See ProgressListener."""
        self._tasks[noun] = self._progress.add_task(noun, total=total)

    def advance(self, noun: str) -> None:
        """See ProgressListener."""
        self._progress.advance(self._tasks[noun])


class Lines:
    """A line at the start of each kind of object, and one every few seconds."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._done = 0
        self._total: int | None = None
        self._printed_at = 0.0

    def begin(self, noun: str, total: int | None) -> None:
        """See ProgressListener."""
        self._done, self._total = 0, total
        self._print(noun)

    def advance(self, noun: str) -> None:
        """See ProgressListener."""
        self._done += 1
        if time.monotonic() - self._printed_at >= SECONDS_BETWEEN_LINES:
            self._print(noun)

    def _print(self, noun: str) -> None:
        of = "" if self._total is None else f" of {self._total}"
        print(f"{noun}: {self._done}{of}", file=self._stream, flush=True)
        self._printed_at = time.monotonic()
