"""Names of the commands in both programs, and the examples in their help."""

import argparse
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dibs.cli.main import Dibs
from dibs.cli.registry import CLIENT_COMMANDS, COMMANDS, name_in_openstack

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def command(name: str) -> Any:
    """Return an instance of a command."""
    app = Dibs()
    app.options = argparse.Namespace(debug=False)
    return EntryPoint(name, COMMANDS[name], "dibs").load()(app, SimpleNamespace())


def test_the_entry_points_of_the_plug_in_are_the_client_commands() -> None:
    entry_points = tomllib.loads(PYPROJECT.read_text())["project"]["entry-points"]
    expected = {name_in_openstack(name).replace(" ", "_"): target for name, target in CLIENT_COMMANDS.items()}
    assert entry_points["openstack.dibs.v1"] == expected
    assert entry_points["openstack.cli.extension"] == {"dibs": "dibs.cli.plugin"}


@pytest.mark.parametrize("name", CLIENT_COMMANDS)
def test_every_argument_has_help_and_the_example_can_be_parsed(name: str) -> None:
    parser = command(name).get_parser(f"dibs {name}")
    text = " ".join(parser.format_help().split())
    assert f"Example: dibs {name} " in text
    words = text.rpartition(f"Example: dibs {name} ")[2].split()
    assert parser.parse_args(words)
    assert all(action.help for action in parser._actions)
