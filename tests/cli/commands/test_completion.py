"""Completion in zsh and fish, by the real shells where they are installed; tests/clients completes in bash."""

import io
import shutil
import subprocess
from pathlib import Path

import pytest

from dibs.cli.main import Dibs
from tests.bed.processes import bare_environment

COMPLETED = ["allocation", "remove", "--wait", "--resource-class", "--shell"]

ZSH = """
compdef() { : }
compadd() { shift; print -r -- ${(M)@:#$PREFIX*} }
source script
complete_words() { words=("$@"); CURRENT=$#words; PREFIX=$words[-1]; _dibs }
complete_words dibs all
complete_words dibs node rem
complete_words dibs allocation create --wai
complete_words dibs why --res
complete_words dibs complete --sh
"""

FISH = """
source script
for line in 'all' 'node rem' 'allocation create --wai' 'why --res' 'complete --sh'
    complete -C "dibs $line" | cut -f 1
end
"""


def script_for(shell: str) -> str:
    app = Dibs()
    app.stdout = io.StringIO()
    assert app.run(["complete", "--shell", shell]) == 0
    return app.stdout.getvalue()


@pytest.mark.parametrize(("shell", "options", "test"), [("zsh", ["-f"], ZSH), ("fish", ["--no-config"], FISH)])
def test_nouns_verbs_and_options_are_completed(shell: str, options: list[str], test: str, tmp_path: Path) -> None:
    assert shutil.which(shell), f"{shell} is missing: run tools/debian_packages.sh sqlite"
    (tmp_path / "script").write_text(script_for(shell))
    done = subprocess.run(
        [shell, *options, "-c", test],
        cwd=tmp_path,
        env={**bare_environment(), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.split() == COMPLETED, done.stderr


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_every_command_and_option_is_in_the_script(shell: str) -> None:
    script = script_for(shell)
    assert "dibs allocation create" in script
    assert ("--candidate-node" if shell == "zsh" else "-l candidate-node") in script
    names = [name for name, _ in Dibs().command_manager]
    assert [name for name in names if f"dibs {name}'" not in script] == []
