"""Formats, columns and errors that all client commands share."""

import json

import yaml

from dibs.cli.client_command import Words
from tests.bed.session import Bed
from tests.cli.run_dibs import run


def test_every_format_and_column_of_cliff_is_supported(bed: Bed) -> None:
    url = bed.shared_server("sqlite").url
    why = ("why", "--resource-class", "no-such-class")
    assert json.loads(run(*why, "-f", "json", url=url).out)["free"] == 0
    assert yaml.safe_load(run(*why, "-f", "yaml", url=url).out)["reasons"] == {"missing": 1}
    assert run(*why, "-f", "value", "-c", "text", url=url).out == "no nodes of class no-such-class\n"
    assert "| fits     | False" in run(*why, url=url).out
    assert 'free="0"' in run(*why, "-f", "shell", url=url).out
    table = run("node", "list", "--resource-class", "no-such-class", "-f", "csv", "-c", "uuid", url=url)
    assert table.out == '"uuid"\n'


def test_debug_prints_the_traceback_before_the_message(bed: Bed) -> None:
    url = bed.shared_server("sqlite").url
    result = run("--debug", "node", "show", "missing", url=url)
    assert result.code == 3
    assert "Traceback" in result.err
    assert "\nNode missing could not be found.\nNo node has the name or UUID missing." in result.err


def test_words_are_a_list_in_yaml_and_separated_by_blanks_in_tables() -> None:
    words = Words(["a", "b"])
    assert (str(words), words.to_dict()) == ("a b", ["a", "b"])
