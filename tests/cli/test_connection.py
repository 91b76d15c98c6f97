"""The server that ``dibs`` connects to."""

from pathlib import Path

import pytest

from tests.cli.run_dibs import run


def test_a_cloud_that_is_not_in_clouds_yaml_is_a_usage_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("--os-cloud", "no-such-cloud", "node", "list", url="")
    assert (result.code, result.err) == (2, "Cloud no-such-cloud was not found.\n")


def test_an_address_that_is_not_a_url_is_a_usage_error() -> None:
    result = run("node", "list", url="localhost:8780")
    assert result.code == 2
    assert result.err.startswith("'localhost:8780' is not a URL such as http://127.0.0.1:8780.")
