"""What the workers of a server ask their parent: whether the part that runs only there is ready.

The conductor runs once per server, in the parent of the workers, and requests about health arrive in the workers. A
worker connects to a Unix socket, and the parent sends its reasons against readiness as JSON.
"""

import contextlib
import json
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

TIMEOUT_SECONDS = 2.0
"""Time for the parent to answer; shorter than a readiness check may take."""

BYTES_MAX = 65_536

Problems = Callable[[], list[str]]


@contextlib.contextmanager
def reporting(problems: Problems) -> Iterator[str]:
    """Answer every question with the problems at that moment; yield the address for ``ask``."""
    with tempfile.TemporaryDirectory(prefix="dibs-reports-") as folder, socket.socket(socket.AF_UNIX) as listener:
        address = str(Path(folder) / "socket")
        listener.bind(address)
        listener.listen()
        threading.Thread(target=_answer_forever, args=(listener, problems), name="dibs-reports", daemon=True).start()
        yield address
        listener.shutdown(socket.SHUT_RDWR)


def ask(address: str) -> list[str]:
    """Return the problems of the parent; that it does not answer is one."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(TIMEOUT_SECONDS)
        try:
            connection.connect(address)
            with connection.makefile("rb") as answer:
                return [str(each) for each in json.loads(answer.read(BYTES_MAX))]
        except (OSError, ValueError):
            return ["the parent of the worker processes, which runs the conductor, does not answer"]


def _answer_forever(listener: socket.socket, problems: Problems) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection, contextlib.suppress(OSError):
            connection.settimeout(TIMEOUT_SECONDS)
            connection.sendall(json.dumps(problems()).encode())
