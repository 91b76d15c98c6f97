"""What every command has: a name in both programs, help with an example, formats, exit codes."""

import argparse
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from dibs.cli.main import COMMANDS, Dibs
from dibs.cli.registry import CLIENT_COMMANDS, name_in_openstack
from tests.bed.processes import free_port
from tests.bed.session import Bed
from tests.cli.asking_server import run

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def command_of(name: str) -> Any:
    app = Dibs()
    app.options = argparse.Namespace(debug=False)
    return EntryPoint(name, COMMANDS[name], "dibs").load()(app, SimpleNamespace())


def test_the_plug_in_has_the_same_classes() -> None:
    entry_points = tomllib.loads(PYPROJECT.read_text())["project"]["entry-points"]
    expected = {name_in_openstack(name).replace(" ", "_"): target for name, target in CLIENT_COMMANDS.items()}
    assert entry_points["openstack.dibs.v1"] == expected
    assert entry_points["openstack.cli.extension"] == {"dibs": "dibs.cli.plugin"}


@pytest.mark.parametrize("name", CLIENT_COMMANDS)
def test_the_example_in_the_help_can_be_typed(name: str) -> None:
    parser = command_of(name).get_parser(f"dibs {name}")
    text = " ".join(parser.format_help().split())
    assert f"Example: dibs {name} " in text
    words = text.rpartition(f"Example: dibs {name} ")[2].split()
    assert parser.parse_args(words)
    assert all(action.help for action in parser._actions)


def test_formats_and_columns(bed: Bed) -> None:
    url = bed.shared_server("sqlite").url
    ask = ("why", "--resource-class", "no-such-class")
    assert run(*ask, "-f", "json", url=url).json["free"] == 0
    assert yaml.safe_load(run(*ask, "-f", "yaml", url=url).out)["reasons"] == {}
    assert run(*ask, "-f", "value", "-c", "text", url=url).out == "no nodes of class no-such-class\n"
    assert "| fits     | False" in run(*ask, url=url).out
    assert 'free="0"' in run(*ask, "-f", "shell", url=url).out
    table = run("node", "list", "--resource-class", "no-such-class", "-f", "csv", "-c", "uuid", url=url)
    assert table.out == '"uuid"\n'


def test_the_exit_code_says_what_kind_of_failure_it_is(bed: Bed) -> None:
    url = bed.shared_server("sqlite").url
    nobody = f"http://127.0.0.1:{free_port()}"
    refused = run("node", "list", "--trait", "nonsense", url=url)
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith("The query parameter traits: 'nonsense' is not a valid trait")
    assert run("node", "no-such-verb", url=url).code == 2
    missing = run("node", "show", "nobody", url=url)
    assert (missing.code, missing.err) == (3, "Node nobody could not be found.\n")
    for words in (("why", "--resource-class", "gold"), ("node", "list")):
        silent = run(*words, url=nobody)
        assert silent.code == 5
        assert silent.err.startswith("Nobody answers.")
    with pytest.raises(SystemExit) as usage:
        run("why", url=url)
    assert usage.value.code == 2


def test_debug_shows_where_it_came_from(bed: Bed) -> None:
    url = bed.shared_server("sqlite").url
    told = run("--debug", "node", "show", "nobody", url=url)
    assert told.code == 3
    assert "Traceback" in told.err
    assert told.err.endswith("\nNode nobody could not be found.\n")


def test_a_cloud_that_clouds_yaml_does_not_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = run("--os-cloud", "no-such-cloud", "node", "list", url="")
    assert (told.code, told.err) == (2, "Cloud no-such-cloud was not found.\n")
