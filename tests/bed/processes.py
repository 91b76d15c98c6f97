"""Start processes that end with the test process, under an account that may run them."""

import contextlib
import functools
import os
import pwd
import queue
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Protocol

MEMORY_MIN_BYTES = 2 << 30
PORTS = range(10_000, 32_000)


def free_port() -> int:
    """Return a free TCP port of the loopback interface.

    The kernel takes the ports of outgoing connections from a higher range. A port from that range could be taken before
    its server listens, or while its server is restarted.
    """
    while True:
        port = PORTS[secrets.randbelow(len(PORTS))]
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def user_for_servers(preferred: str) -> str:
    """Return the account that runs a database server; database servers refuse to run as root."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid()).pw_name
    for name in (preferred, "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    raise RuntimeError(f"neither {preferred} nor nobody exists on this machine")


def as_user(user: str, command: Sequence[str]) -> list[str]:
    """Prefix a command so that it runs as ``user`` and is killed when the process that starts it dies."""
    prefix = ["setpriv", "--pdeathsig=KILL"]
    if os.geteuid() == 0:
        account = pwd.getpwnam(user)
        prefix += [f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"]
    return [*prefix, "--", *command]


def make_folder() -> Path:
    """Create a folder for databases and sockets: in memory if the machine has much, as databases wait for disks."""
    memory = Path("/dev/shm")
    roomy = "TMPDIR" not in os.environ and memory.is_dir() and shutil.disk_usage(memory).free > MEMORY_MIN_BYTES
    return Path(tempfile.mkdtemp(prefix="dibs-bed-", dir=memory if roomy else None))


class Process(Protocol):
    """A started process: subprocess.Popen, or a fork of a server that has imported Dibs."""

    pid: int

    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, number: int, /) -> None: ...
    def kill(self) -> None: ...


def start_process(
    command: Sequence[str], log: Path, environment: Mapping[str, str], folder: Path | None = None
) -> subprocess.Popen[bytes]:
    """Start a process in its own session: Ctrl-C reaches only the test process, which then stops it."""
    started: Future[subprocess.Popen[bytes]] = Future()
    _starting_thread()
    with log.open("ab") as output:
        start = functools.partial(
            subprocess.Popen,
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            cwd=folder,
            start_new_session=True,
        )
        _starts.put((start, started))
        return started.result()


_starts: "queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]]" = queue.SimpleQueue()


@functools.cache
def _starting_thread() -> None:
    """Begin to start processes in a thread that lives until this process ends.

    The kernel kills a process, as ``as_user`` asks it to, when the thread that started the process ends.
    """

    def start_forever() -> None:
        while True:
            start, started = _starts.get()
            try:
                started.set_result(start())
            except BaseException as error:
                started.set_exception(error)

    threading.Thread(target=start_forever, name="starts processes", daemon=True).start()


def stop_process(process: Process, with_signal: int = signal.SIGTERM, seconds: float = 20.0) -> int:
    """Send a process a signal, kill it when it does not stop, and return its exit status."""
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)
        process.send_signal(with_signal)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
    return process.wait()


def children_of(pid: int) -> list[int]:
    """Return the ids of the direct children of a process."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def tail_of(log: Path, lines: int = 30) -> str:
    """Return the last lines of a log, for a failure message."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:]) if log.exists() else "(no log)"


def clean_environment() -> dict[str, str]:
    """Return an environment for a separate test run, without the variables of this one."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("TEST_BED_", "PYTEST_"))}


def bare_environment() -> dict[str, str]:
    """Return this process's environment without the variables that clients and Dibs read as settings."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("OS_", "DIBS_"))}
