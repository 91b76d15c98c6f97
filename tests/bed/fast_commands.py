"""Shims for the stock commands: a folder of programs, for PATH and for tests. See command_server.py."""

import atexit
import functools
import shutil
import sys
import tempfile
from pathlib import Path

from tests.bed.command_server import PROGRAMS
from tests.bed.forked import COMMAND_SERVER, fork_server

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
answer = b""
while more := server.recv(64):
    answer += more
_, _, status = answer.decode().partition("\\n")
sys.exit(int(status or 255) % 256)
"""


@functools.cache
def folder() -> Path:
    """Return a folder with a shim for each program; the first call starts the server behind them, unless it runs."""
    socket = fork_server(COMMAND_SERVER)
    shims = Path(tempfile.mkdtemp(prefix="dibs-bed-"))
    atexit.register(shutil.rmtree, shims, ignore_errors=True)
    for program in PROGRAMS:
        shim = shims / program
        shim.write_text(_SHIM.format(python=sys.executable, program=program, socket=str(socket)))
        shim.chmod(0o755)
    return shims
