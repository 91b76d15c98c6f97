"""The fork server of ``openstack``, ``baremetal``, ``dibs`` and other commands: ``python -m … SOCKET``.

Each command runs the entry point of the installed program. Signals to a shim do not reach its command: tests that
interrupt a command run the installed program.
"""

import functools
import importlib.metadata
import sys
from collections.abc import Callable
from typing import Any

from cliff.app import App

from tests.bed.fork_server import Programs, serve

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


def load() -> Programs:
    """Import every program and the plug-ins that it would load."""
    import openstack.connection
    from stevedore import ExtensionManager

    assert openstack.connection
    for group in PLUGINS:
        ExtensionManager(group, on_load_failure_callback=lambda *_: None)
    scripts = {entry.name: entry for entry in importlib.metadata.entry_points(group="console_scripts")}
    return {name: functools.partial(_run, name, scripts[name].load()) for name in PROGRAMS}


def _run(name: str, program: Callable[[list[str]], Any], words: list[str]) -> int | None:
    App.NAME = name
    status: int | None = program(words)
    return status


if __name__ == "__main__":
    serve(sys.argv[1], load())
