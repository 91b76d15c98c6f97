"""``dibs check``."""

import sqlite3
import subprocess
import sys
from pathlib import Path

from dibs.wiring.hooks import LAWS

DIBS = str(Path(sys.executable).with_name("dibs"))
ORPHAN = "INSERT INTO consumers (uuid, generation, created_at) VALUES (?, 0, 1)"


def run(directory: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [DIBS, *words, "--database", f"sqlite:///{directory}/dibs.sqlite"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_each_law_is_printed_and_a_broken_one_with_its_remedy(tmp_path: Path) -> None:
    refused = run(tmp_path, "check")
    assert (refused.returncode, "Run `dibs db upgrade`" in refused.stderr) == (1, True)
    assert run(tmp_path, "db", "upgrade").returncode == 0
    lawful = run(tmp_path, "check")
    assert lawful.returncode == 0
    assert lawful.stdout.count("ok ") == len(LAWS)
    assert lawful.stdout.endswith("No violations found.\n")
    with sqlite3.connect(tmp_path / "dibs.sqlite") as connection:
        connection.executemany(ORPHAN, [(f"{number:036}",) for number in range(25)])
    broken = run(tmp_path, "check")
    assert broken.returncode == 1
    assert "BROKEN  A consumer has a claim.\n        Consumer 0000" in broken.stdout
    assert "        … and 5 more.\n        What to do: Delete the row" in broken.stdout
    assert "One law is broken." in broken.stderr
