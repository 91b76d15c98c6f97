"""CONTRIBUTING.md names targets, files and folders that exist, and its table agrees with what the tests do."""

import re
from pathlib import Path

from tests.conftest import ENGINE_DEPENDENT

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()


def rows() -> dict[str, str]:
    """Return where the tests of each folder run, by the table."""
    table = re.findall(r"^\| (`[^|]+) \| ([^|]+) \|", TEXT, re.MULTILINE)
    return {folder: where for folders, where in table for folder in re.findall(r"`(\w+)`", folders)}


def test_the_table_has_every_folder_of_tests() -> None:
    folders = {path.parent.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").glob("*/**/test_*.py")}
    assert set(rows()) == folders | (set(rows()) & ENGINE_DEPENDENT)


def test_the_table_says_which_folders_run_on_every_engine() -> None:
    assert {folder for folder, where in rows().items() if where.startswith("every engine")} == ENGINE_DEPENDENT


def test_every_make_target_that_it_names_exists() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z][a-z-]*)\b(?! are)", TEXT))
    assert named - {"a"} <= targets, named - targets


def test_its_links_lead_to_files_that_exist() -> None:
    links = re.findall(r"\]\(([^)#]+)", TEXT)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
