"""How far an import is: a bar on a terminal, a line now and then elsewhere."""

import contextlib
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from dibs.importing.report import Watcher

SECONDS_BETWEEN_LINES = 5.0


@contextlib.contextmanager
def watch(stream: TextIO, silent: bool) -> "Iterator[Watcher]":
    """Something to tell how far it is, for as long as it takes."""
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
        """See Watcher."""

    def advance(self, noun: str) -> None:
        """See Watcher."""


class Bars:
    """One bar for each kind of object."""

    def __init__(self, progress: "Progress") -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}

    def begin(self, noun: str, total: int | None) -> None:
        """See Watcher."""
        self._tasks[noun] = self._progress.add_task(noun, total=total)

    def advance(self, noun: str) -> None:
        """See Watcher."""
        self._progress.advance(self._tasks[noun])


class Lines:
    """A line when a kind of object begins, and one every few seconds."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._done = 0
        self._total: int | None = None
        self._told_at = 0.0

    def begin(self, noun: str, total: int | None) -> None:
        """See Watcher."""
        self._done, self._total = 0, total
        self._tell(noun)

    def advance(self, noun: str) -> None:
        """See Watcher."""
        self._done += 1
        if time.monotonic() - self._told_at >= SECONDS_BETWEEN_LINES:
            self._tell(noun)

    def _tell(self, noun: str) -> None:
        of = "" if self._total is None else f" of {self._total}"
        print(f"{noun}: {self._done}{of}", file=self._stream, flush=True)
        self._told_at = time.monotonic()
