"""Copy the sources, build distributions of them, and install them."""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from tests.clients.clouds import bare_environment

ROOT = Path(__file__).parents[2]
LEFT_BEHIND = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist", "var", "site-packages")


def copy_sources(folder: Path) -> None:
    """Copy the sources without the files of tools, so that a build changes nothing in the original."""
    shutil.copytree(ROOT, folder, ignore=LEFT_BEHIND)
    for name in (".dockerignore", ".pre-commit-config.yaml"):
        shutil.copy(ROOT / name, folder)


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    """Run a command to its end, without the modules of this test run, and return what it prints."""
    environment = bare_environment() | variables
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(source: Path, folder: Path, *options: str) -> None:
    """Build distributions with the tools of this environment: one of its own takes as long as ten builds.

    The test of ``make release`` builds in an isolated environment.
    """
    run(sys.executable, "-m", "build", "--no-isolation", *options, "--outdir", folder, source, cwd=source.parent)


def only(folder: Path, pattern: str) -> Path:
    """Return the one file that a pattern finds."""
    (found,) = folder.glob(pattern)
    return found


def install(wheel: Path, folder: Path) -> Path:
    """Install a wheel into an environment of its own that shares the dependencies of this one; return ``dibs``."""
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    packages = only(folder, "lib/*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    pip = (sys.executable, "-m", "pip", "--python", folder / "bin/python", "install", "--quiet", "--no-deps")
    run(*pip, "--no-index", "--no-compile", wheel, cwd=folder.parent)
    return folder / "bin/dibs"
