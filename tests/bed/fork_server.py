"""Run Python programs without the second that each spends on imports: import them once, fork for each command.

A caller connects to a socket and sends the program, arguments, environment, folder and open files. The command runs in
its own process, which gets signals by its id. The server sends that id, and the exit status when the command ends.
"""

import atexit
import contextlib
import ctypes
import gc
import json
import os
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from typing import Any

Programs = Mapping[str, Callable[[list[str]], int | None]]

_SET_DEATH_SIGNAL = 1
_libc = ctypes.CDLL(None)


def serve(path: str, programs: Programs) -> None:
    """Answer callers until killed."""
    # Garbage collection in a fork would copy the memory of all loaded modules.
    gc.collect()
    gc.freeze()
    listening = socket.socket(socket.AF_UNIX)
    # A caller that sees the socket can connect to it.
    listening.bind(f"{path}.new")
    listening.listen()
    os.rename(f"{path}.new", path)
    # The kernel reaps the processes that each handle one command.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        connection, _ = listening.accept()
        if os.fork() == 0:
            _die_with_parent()
            listening.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            run_command(connection, programs)
        connection.close()


def run_command(connection: socket.socket, programs: Programs) -> None:
    """Run the command of a caller; send its process id, then its exit status as subprocess.Popen reports it."""
    head, files, _, _ = socket.recv_fds(connection, 4, 3)
    size = int.from_bytes(head, "big")
    body = b""
    while len(body) < size:
        body += connection.recv(size - len(body))
    command = os.fork()
    if command == 0:
        _die_with_parent()
        connection.close()
        become(json.loads(body), files, programs)
    for file in files:
        os.close(file)
    with contextlib.suppress(OSError):
        connection.sendall(f"{command}\n".encode())
    status = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
    with contextlib.suppress(OSError):
        connection.sendall(f"{status}\n".encode())
    os._exit(0)


def become(request: dict[str, Any], files: list[int], programs: Programs) -> None:
    """Turn this process into the command; never return."""
    # As a shell starts it: in a process group of its own, and ended by signals that the test run may ignore.
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    program, *words = request["words"]
    sys.argv = [program, *words]
    status = 1
    try:
        # Some programs read sys.argv at import, as the default of their parameter.
        status = programs[program](words) or 0
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        # The interpreter would take 0.3 s to free all loaded modules.
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        with contextlib.suppress(BrokenPipeError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _die_with_parent() -> None:
    _libc.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
