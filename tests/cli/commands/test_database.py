"""``dibs db …``."""

import subprocess
import sys
from pathlib import Path

DIBS = str(Path(sys.executable).with_name("dibs"))


def run(verb: str, directory: Path) -> "subprocess.CompletedProcess[str]":
    command = [DIBS, "db", verb, "--database", f"sqlite:///{directory}/dibs.sqlite"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_an_empty_database_has_no_version_and_fails_the_check_until_upgraded(tmp_path: Path) -> None:
    assert run("version", tmp_path).stdout == "none\n"
    assert run("check", tmp_path).returncode == 1
    assert run("upgrade", tmp_path).returncode == 0
    assert run("version", tmp_path).stdout not in ("none\n", "")
    assert run("check", tmp_path).returncode == 0
