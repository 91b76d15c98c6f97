"""``dibs db …``."""

import subprocess
from pathlib import Path

from tests.bed.forked import run_dibs


def run(verb: str, directory: Path) -> "subprocess.CompletedProcess[str]":
    return run_dibs("db", verb, "--database", f"sqlite:///{directory}/dibs.sqlite")


def test_an_empty_database_has_no_version_and_fails_the_check_until_upgraded(tmp_path: Path) -> None:
    assert run("version", tmp_path).stdout == "none\n"
    assert run("check", tmp_path).returncode == 1
    assert run("upgrade", tmp_path).returncode == 0
    assert run("version", tmp_path).stdout not in ("none\n", "")
    assert run("check", tmp_path).returncode == 0
