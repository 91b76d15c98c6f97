"""A shim behaves like the installed program that it replaces."""

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
def test_each_shim_has_an_installed_program(program: str) -> None:
    assert (BIN / program).exists()


def test_shim_has_the_output_and_exit_status_of_the_program() -> None:
    for words in (("--version",), ("node", "list", "--no-such-flag")):
        assert run(fast_commands.folder() / "dibs", *words) == run(BIN / "dibs", *words)


def test_command_has_the_folder_environment_and_input_of_its_caller(tmp_path: Path) -> None:
    dibs = fast_commands.folder() / "dibs"
    assert run(dibs, "user", "add", "users", "eva", folder=tmp_path, stdin="secret\n")[0] == 0
    assert (tmp_path / "users").read_text().startswith("eva:")
    status, out = run(dibs, "clouds-yaml", DIBS_BIND="127.0.0.1:4711")
    assert status == 0
    assert "http://127.0.0.1:4711" in out


def test_python_runs_a_program_from_its_input_or_with_arguments() -> None:
    python = fast_commands.folder() / "python"
    for words, stdin in (((), "import sys\nprint(__name__)\nsys.exit(3)\n"), (("-c", "print(5)"), "")):
        assert run(python, *words, stdin=stdin) == run(BIN / "python", *words, stdin=stdin)
