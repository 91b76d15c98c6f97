"""A shim behaves like the installed program that it stands for."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.bed import fast_commands
from tests.bed.command_server import PROGRAMS
from tests.bed.processes import bare_environment

BIN = Path(sys.executable).parent


def run(program: Path, *words: str, folder: Path | None = None, stdin: str = "", **variables: str) -> tuple[int, str]:
    command = [str(program), *words]
    environment = {**bare_environment(), **variables}
    done = subprocess.run(command, cwd=folder, env=environment, input=stdin, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout


@pytest.mark.parametrize("program", PROGRAMS)
def test_there_is_an_installed_program_for_each_shim(program: str) -> None:
    assert (BIN / program).exists()


def test_a_shim_prints_and_ends_like_the_program() -> None:
    for words in (("--version",), ("node", "list", "--no-such-flag")):
        assert run(fast_commands.folder() / "dibs", *words) == run(BIN / "dibs", *words)


def test_a_command_has_the_folder_the_environment_and_the_input_of_its_caller(tmp_path: Path) -> None:
    dibs = fast_commands.folder() / "dibs"
    assert run(dibs, "user", "add", "users", "eva", folder=tmp_path, stdin="secret\n")[0] == 0
    assert (tmp_path / "users").read_text().startswith("eva:")
    status, out = run(dibs, "clouds-yaml", DIBS_BIND="127.0.0.1:4711")
    assert status == 0
    assert "http://127.0.0.1:4711" in out
