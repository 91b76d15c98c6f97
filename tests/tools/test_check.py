"""``tools/check.sh`` and the pre-commit hooks run the same commands; one package can be checked alone."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
CHECK = ROOT / "tools/check.sh"


def lint_commands() -> dict[str, str]:
    """Return the commands of ``make lint`` by name."""
    body = CHECK.read_text().partition("lint_all() {")[2].partition("\n}")[0]
    return dict(re.findall(r'^ *check "([^"]+)" (.+)$', body, re.MULTILINE))


def test_pre_commit_runs_what_make_lint_runs() -> None:
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert repository["repo"] == "local"
    hooks = {hook["name"]: hook["entry"] for hook in repository["hooks"]}
    assert hooks == lint_commands()
    assert len(hooks) == 4
    for hook in repository["hooks"]:
        assert (hook["language"], hook["pass_filenames"], hook["always_run"]) == ("system", False, True)


@pytest.mark.parametrize("command", lint_commands().values())
def test_a_lint_command_comes_from_the_virtual_environment(command: str) -> None:
    assert shlex.split(command)[0].startswith(".venv/bin/")


def test_a_package_that_does_not_exist_is_refused_with_an_example() -> None:
    done = subprocess.run([CHECK, "--package", "leasing"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "There is no package or module src/dibs/leasing." in done.stderr
    assert "PACKAGE=leases" in done.stderr


@pytest.mark.parametrize(("target", "hint"), [("check", "PACKAGE=leases"), ("release", "VERSION=0.2.0")])
def test_make_asks_for_the_value_that_a_target_needs(target: str, hint: str) -> None:
    # The other targets are taken as done: nothing is installed here.
    done = subprocess.run(
        ["make", "--silent", "--old-file=.venv/.installed-for-tests", target], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert hint in done.stderr
