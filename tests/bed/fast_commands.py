"""Shims for the stock commands: a folder of programs, for PATH and for tests. See command_server.py."""

import atexit
import functools
import shutil
import sys
import tempfile
from pathlib import Path

from tests.bed.command_server import PROGRAMS
from tests.bed.processes import as_user, bare_environment, start_process, stop_process, tail_of, user_for_servers
from tests.bed.waiting import eventually

_SHIM = """\
#!{python} -IS
import json, os, socket, sys
body = json.dumps(
    {{"words": [{program!r}, *sys.argv[1:]], "folder": os.getcwd(), "environment": dict(os.environ)}}
).encode()
server = socket.socket(socket.AF_UNIX)
server.connect({socket!r})
socket.send_fds(server, [len(body).to_bytes(4, "big")], [0, 1, 2])
server.sendall(body)
sys.exit(int(server.recv(8) or b"255"))
"""


@functools.cache
def folder() -> Path:
    """Return a folder with a shim for each program; the first call starts the server behind them."""
    made = Path(tempfile.mkdtemp(prefix="dibs-bed-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    socket, log = made / "socket", made / "log"
    for program in PROGRAMS:
        shim = made / program
        shim.write_text(_SHIM.format(python=sys.executable, program=program, socket=str(socket)))
        shim.chmod(0o755)
    command = [sys.executable, str(Path(__file__).with_name("command_server.py")), str(socket)]
    process = start_process(as_user(user_for_servers("root"), command), log, bare_environment())
    atexit.register(stop_process, process)
    try:
        eventually(socket.exists, 60, "the server of the commands")
    except AssertionError as error:
        raise RuntimeError(f"{error}; the end of its log:\n{tail_of(log)}") from error
    return made
