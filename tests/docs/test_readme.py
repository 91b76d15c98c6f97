"""The first screen of the README says what Dibs is, and has one command to run it and one to test it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
COLUMNS, LINES = 80, 30


def first_screen() -> str:
    """Return the text that a terminal shows at first, with long lines wrapped."""
    folded = [
        line[start : start + COLUMNS] for line in README.split("\n") for start in range(0, len(line) or 1, COLUMNS)
    ]
    return "\n".join(folded[:LINES])


def test_first_screen_says_what_dibs_is_and_how_to_run_and_test_it() -> None:
    assert "Which machine may I have, and when?" in first_screen()
    commands = re.findall(r"^    (\S.*)$", first_screen(), re.MULTILINE)
    assert commands == ["make serve", "make test"]


def test_every_named_make_target_exists() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:`|^    )make ([a-z]+)", README, re.MULTILINE)) - targets == set()


def test_every_link_leads_to_an_existing_file() -> None:
    links = re.findall(r"\]\(([^)#]+)", README)
    assert links
    assert [link for link in links if "://" not in link and not (ROOT / link).exists()] == []
