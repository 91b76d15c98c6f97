"""Shims for the stock commands: a folder of programs, for PATH and for tests. See command_server.py."""

import functools
import sys
from pathlib import Path

from tests.bed.command_server import PROGRAMS
from tests.bed.forked import start_fork_server

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
    """Return a folder with a shim for each program; the first call starts the server behind them."""
    socket = start_fork_server("tests.bed.command_server")
    for program in PROGRAMS:
        shim = socket.with_name(program)
        shim.write_text(_SHIM.format(python=sys.executable, program=program, socket=str(socket)))
        shim.chmod(0o755)
    return socket.parent
