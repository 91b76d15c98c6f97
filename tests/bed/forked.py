"""Start processes of a fork server, with the methods of subprocess.Popen that tests use. See fork_server.py."""

import atexit
import functools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from tests.bed.processes import as_user, bare_environment, start_process, stop_process, tail_of, user_for_servers
from tests.bed.waiting import eventually

ROOT = Path(__file__).parents[2]


DIBS_FORKS = "tests.bed.dibs_forks"
COMMAND_SERVER = "tests.bed.command_server"


def share_fork_servers() -> None:
    """Start the fork servers for the worker processes of this run, which find their sockets in the environment."""
    for module in (DIBS_FORKS, COMMAND_SERVER):
        os.environ[_variable_of(module)] = str(_start_fork_server(module))


@functools.cache
def fork_server(module: str) -> Path:
    """Return the socket of a fork server that answers: the one that workers share, or one for this test process."""
    path = Path(os.environ.get(_variable_of(module)) or _start_fork_server(module))
    try:
        eventually(path.exists, 300, f"the fork server {module}")
    except AssertionError as error:
        raise RuntimeError(f"{error}; the end of its log:\n{tail_of(path.with_name('log'))}") from error
    return path


def _start_fork_server(module: str) -> Path:
    """Start a fork server for the rest of this test process; return its socket, which exists when it is ready."""
    folder = Path(tempfile.mkdtemp(prefix="dibs-bed-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / "socket"
    command = as_user(user_for_servers("root"), [sys.executable, "-m", module, str(path)])
    process = start_process(command, folder / "log", bare_environment(), folder=ROOT)
    atexit.register(stop_process, process)
    return path


def _variable_of(module: str) -> str:
    return f"TEST_BED_{module.rpartition('.')[2].upper()}_SOCKET"


class ForkedProcess:
    """A program of the fork server of Dibs, in a process of its own; the files are its input, output and errors."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str], files: Sequence[IO[Any]]) -> None:
        body = json.dumps({"words": words, "folder": os.getcwd(), "environment": dict(environment)}).encode()
        self.returncode: int | None = None
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.connect(str(fork_server(DIBS_FORKS)))
        socket.send_fds(self._connection, [len(body).to_bytes(4, "big")], [file.fileno() for file in files])
        self._connection.sendall(body)
        self.pid = int(self._line())

    def poll(self) -> int | None:
        """Return the exit status, None while the process runs."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end and return the exit status; minus the signal after a kill."""
        if self.returncode is None:
            self._connection.settimeout(timeout)
            try:
                self.returncode = int(self._line())
            except (TimeoutError, BlockingIOError):
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0) from None
            self._connection.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill the process, unless it has ended."""
        self.send_signal(signal.SIGKILL)

    def _line(self) -> str:
        """Read a line, which the server sends in one piece."""
        line = self._connection.recv(1)
        while not line.endswith(b"\n"):
            more = self._connection.recv(1)
            if not more:
                raise RuntimeError("the fork server has ended")
            line += more
        return line.decode()


def start_forked(*words: str, log: Path) -> ForkedProcess:
    """Start a program of the fork server of Dibs with a clean environment; it writes to the log."""
    with open(os.devnull, "rb") as nothing, log.open("ab") as output:
        return ForkedProcess(words, bare_environment(), (nothing, output, output))


def run_dibs(*words: str | Path, stdin: str = "", **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run a ``dibs`` command to its end, as subprocess.run does with its output captured."""
    with TemporaryFile("w+") as given, TemporaryFile("w+") as out, TemporaryFile("w+") as err:
        given.write(stdin)
        given.seek(0)
        command = ["dibs", *map(str, words)]
        process = ForkedProcess(command, {**bare_environment(), **variables}, (given, out, err))
        try:
            status = process.wait(120)
        finally:
            process.kill()
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(command, status, out.read(), err.read())
