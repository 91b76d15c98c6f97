"""A real browser without a screen."""

import shutil
import subprocess
from pathlib import Path

OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SCRIPT_SECONDS = 60
"""How far the page's own clock runs, as fast as it can, before the document is read."""


def chromium_path() -> str:
    """Return the path of Debian's Chromium."""
    found = shutil.which("chromium")
    assert found, "Chromium is missing: run tools/debian_packages.sh sqlite"
    return found


def open_page(url: str, profile: Path) -> str:
    """Return the HTML of a page after its scripts have run."""
    budget = f"--virtual-time-budget={SCRIPT_SECONDS * 1_000}"
    command = [chromium_path(), *OPTIONS, f"--user-data-dir={profile}", budget, "--dump-dom", url]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout
