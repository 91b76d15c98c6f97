"""The reference of commands, generated from their parsers."""

import os
from importlib.metadata import distribution

from tables import code, table

from dibs.cli.main import Dibs

_INTRODUCTION = """\
# Commands

The output of `dibs help COMMAND`. Flags of settings are also [environment variables and keys of a file](settings.md).
"""


def page() -> str:
    """Return the page: every command with its help."""
    os.environ["COLUMNS"] = "80"
    parts = [_INTRODUCTION]
    app = Dibs()
    for name in sorted(name for name, _ in app.command_manager):
        kind, _, _ = app.command_manager.find_command(name.split())
        text = kind(app, None).get_parser(f"dibs {name}").format_help()
        parts.append(f"## dibs {name}\n\n```text\n{text.rstrip()}\n```\n")
    return "\n".join([*parts, _plug_in()])


def _plug_in() -> str:
    """Return the names of the same classes in the ``openstack`` command."""
    rows = [
        [code("openstack " + entry.name.replace("_", " ")), code(entry.value.rpartition(":")[2])]
        for entry in distribution("dibs").entry_points
        if entry.group.startswith("openstack.") and entry.group != "openstack.cli.extension"
    ]
    if not rows:
        return ""
    return f"## In the openstack command\n\n{table(['command', 'class'], sorted(rows))}\n"
