"""The fork server of ``openstack``, ``baremetal``, ``dibs``, ``python`` and other commands: ``python -m … SOCKET``.

Each command runs the entry point of the installed program. Signals to a shim do not reach its command: tests that
interrupt a command run the installed program.
"""

import functools
import importlib.metadata
import os
import sys
from collections.abc import Callable
from typing import Any

from cliff.app import App

from tests.bed.fork_server import Programs, serve

COMMANDS = ("baremetal", "blazar", "dibs", "metalsmith", "openstack")
PROGRAMS = (*COMMANDS, "python")
PLUGINS = ("openstack.", "keystoneauth1.plugin")
"""What the groups of plug-ins of the programs start with."""


def load() -> Programs:
    """Import every program and the plug-ins that it would load."""
    import openstack.connection
    from cliff import command
    from stevedore import ExtensionManager

    from tests.bed.dibs_forks import import_everything

    assert openstack.connection
    entries = importlib.metadata.entry_points()
    for group in entries.groups:
        if group.startswith(PLUGINS):
            ExtensionManager(group, on_load_failure_callback=lambda *_: None)
    # `dibs db` imports much at first use.
    import_everything()
    # For its help, each command would read the list of files of every installed distribution.
    command._get_distributions_by_modules()
    scripts = {entry.name: entry for entry in entries.select(group="console_scripts")}
    return {"python": _run_python, **{name: functools.partial(_run, name, scripts[name].load()) for name in COMMANDS}}


def _run(name: str, program: Callable[[list[str]], Any], words: list[str]) -> int | None:
    App.NAME = name
    status: int | None = program(words)
    return status


def _run_python(words: list[str]) -> None:
    """Run the program on the standard input, which finds the libraries of the clients imported."""
    if words:
        os.execv(sys.executable, [sys.executable, *words])
    exec(compile(sys.stdin.read(), "<stdin>", "exec"), {"__name__": "__main__"})


if __name__ == "__main__":
    serve(sys.argv[1], load())
