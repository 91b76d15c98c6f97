"""The first screen of the README: what it is, one command to run it, one to test it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
COLUMNS, LINES = 80, 30


def first_screen() -> str:
    """As much as a terminal shows, with long lines folded."""
    folded = [
        line[start : start + COLUMNS] for line in README.split("\n") for start in range(0, len(line) or 1, COLUMNS)
    ]
    return "\n".join(folded[:LINES])


def test_the_first_screen_says_what_it_is_and_how_to_run_and_test_it() -> None:
    assert "Which machine may I have, and when?" in first_screen()
    commands = re.findall(r"^    (\S.*)$", first_screen(), re.MULTILINE)
    assert commands == ["make serve", "make test"]


def test_every_make_target_that_it_names_exists() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:`|^    )make ([a-z]+)", README, re.MULTILINE)) - targets == set()


def test_its_links_lead_to_files_that_are_there() -> None:
    links = re.findall(r"\]\(([^)#]+)", README)
    assert links
    assert [link for link in links if "://" not in link and not (ROOT / link).exists()] == []
