"""The Containerfile passes its linter and fits the repository; no test builds an image."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

from tests.deploy.commands import DEPLOY, KNOWN

FILE = DEPLOY / "Containerfile"
ROOT = DEPLOY.parent


def instructions() -> list[list[str]]:
    text = re.sub(r"^\s*#.*\n", "", FILE.read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    return [shlex.split(line) for line in text.splitlines() if line.strip()]


def test_hadolint_reports_no_problem() -> None:
    linter = Path(sys.executable).with_name("hadolint")
    done = subprocess.run([linter, FILE], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_copied_files_exist_and_are_in_the_build_context() -> None:
    in_context = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    copied = [word for line in instructions() if line[0] == "COPY" and "--from" not in line[1] for word in line[1:-1]]
    assert sorted(copied) == sorted(in_context)
    assert all((ROOT / name).exists() for name in copied)


def test_variables_of_the_image_are_settings() -> None:
    names = {word.partition("=")[0] for line in instructions() if line[0] == "ENV" for word in line[1:]}
    assert {name for name in names if name.startswith("DIBS_")} - KNOWN == set()
    assert "DIBS_BIND" in names


def test_image_does_not_run_as_root() -> None:
    users = [line[1] for line in instructions() if line[0] == "USER"]
    assert users == ["8780"]
