"""Run ``openstack``, ``baremetal``, ``dibs`` and other commands without the second that each spends on imports.

``python command_server.py SOCKET`` loads the clients once and forks for each command that a shim sends. The command
runs the same entry point as the installed program, in its own process, with the arguments, environment, folder and open
files of its caller. Signals to the shim do not reach the command: tests that interrupt one run the installed program.
"""

import atexit
import contextlib
import gc
import importlib.metadata
import json
import os
import signal
import socket
import sys
import threading
import traceback
from typing import Any

from cliff.app import App

PROGRAMS = ("baremetal", "blazar", "dibs", "metalsmith", "openstack")
PLUGINS = (
    "openstack.cli.base",
    "openstack.cli.extension",
    "openstack.baremetal.v1",
    "openstack.common",
    "openstack.compute.v2",
    "openstack.dibs.v1",
    "openstack.placement.v1",
    "openstack.reservation.v1",
    "keystoneauth1.plugin",
)


def load() -> dict[str, Any]:
    """Import every program and the plug-ins that it would load."""
    import openstack.connection
    from stevedore import ExtensionManager

    assert openstack.connection
    for group in PLUGINS:
        ExtensionManager(group, on_load_failure_callback=lambda *_: None)
    scripts = {entry.name: entry for entry in importlib.metadata.entry_points(group="console_scripts")}
    return {name: scripts[name].load() for name in PROGRAMS}


def serve(path: str) -> None:
    """Answer shims until killed."""
    programs = load()
    # Garbage collection in a fork would copy the memory of all loaded modules.
    gc.collect()
    gc.freeze()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen()
    # The kernel reaps the processes that each handle one command.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        connection, _ = listening.accept()
        if os.fork() == 0:
            listening.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            run_command(connection, programs)
        connection.close()


def run_command(connection: socket.socket, programs: dict[str, Any]) -> None:
    """Run the command that a shim sent, and send back its exit status."""
    head, files, _, _ = socket.recv_fds(connection, 4, 3)
    size = int.from_bytes(head, "big")
    body = b""
    while len(body) < size:
        body += connection.recv(size - len(body))
    command = os.fork()
    if command == 0:
        connection.close()
        become(json.loads(body), files, programs)
    status = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
    with contextlib.suppress(OSError):
        connection.sendall(str(status % 256).encode())
    os._exit(0)


def become(request: dict[str, Any], files: list[int], programs: dict[str, Any]) -> None:
    """Turn this process into the command; never return."""
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    program, *words = request["words"]
    sys.argv = [program, *words]
    App.NAME = program
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
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    serve(sys.argv[1])
