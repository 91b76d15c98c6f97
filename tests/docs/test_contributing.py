"""CONTRIBUTING.md names targets, files and folders that exist, and its table matches the engines of each folder."""

import re
from pathlib import Path

from tests.conftest import ENGINE_DEPENDENT

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()


def rows() -> dict[str, str]:
    """Return the engines on which the tests of each folder run, from the table."""
    table = re.findall(r"^\| (`[^|]+) \| ([^|]+) \|", TEXT, re.MULTILINE)
    return {folder: where for folders, where in table for folder in re.findall(r"`(\w+)`", folders)}


def test_table_has_every_folder_of_tests() -> None:
    folders = {path.parent.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").glob("*/**/test_*.py")}
    assert set(rows()) == folders | (set(rows()) & ENGINE_DEPENDENT)


def test_table_names_the_folders_that_run_on_every_engine() -> None:
    assert {folder for folder, where in rows().items() if where.startswith("every engine")} == ENGINE_DEPENDENT


def test_every_named_make_target_exists() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z][a-z-]*)\b(?! are)", TEXT))
    assert named - {"a"} <= targets, named - targets


def test_every_link_leads_to_an_existing_file() -> None:
    links = re.findall(r"\]\(([^)#]+)", TEXT)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
