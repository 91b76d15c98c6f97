"""Help reads well on a terminal of 80 columns and 24 lines."""

import contextlib
import io

import pytest

from dibs.cli.main import Dibs
from dibs.cli.overview import USED_MOST, overview

COLUMNS, LINES = 80, 24


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))


def commands() -> list[str]:
    return sorted(name for name, _ in Dibs().command_manager)


def help_of(name: str) -> str:
    """What ``dibs NAME --help`` prints."""
    app = Dibs()
    app.stdout = io.StringIO()
    assert app.run([*name.split(), "--help"]) == 0
    return app.stdout.getvalue()


def told_by(*arguments: str) -> str:
    app = Dibs()
    app.stdout = io.StringIO()
    with contextlib.suppress(SystemExit):
        app.run(list(arguments))
    return app.stdout.getvalue()


def test_the_first_screen_has_what_is_used_most_and_then_comes_every_command() -> None:
    page = told_by("--help")
    first_screen = "\n".join(page.splitlines()[:LINES])
    assert "Which machine may I have, and when?" in first_screen
    assert [name for name in USED_MOST if f"\n  {name} " not in first_screen] == []
    assert [name for name in commands() if not all(word in page for word in name.split())] == []


def test_help_alone_is_the_same_as_the_option() -> None:
    assert told_by("help") == told_by("--help")


def test_no_line_of_any_help_is_longer_than_the_terminal() -> None:
    pages = {"dibs": told_by("--help")} | {name: help_of(name) for name in commands()}
    too_long = {name: line for name, page in pages.items() for line in page.splitlines() if len(line) > COLUMNS}
    assert too_long == {}


def test_every_command_says_in_one_line_what_it_does() -> None:
    manager = Dibs().command_manager
    classes = {name: manager.find_command(name.split())[0] for name in commands()}
    silent = [name for name, found in classes.items() if not (found.__doc__ or "").partition("\n")[0].strip()]
    assert silent == []
    assert "…" not in overview(manager), "shorten the first line of that command's docstring"


def test_the_flags_of_a_server_are_in_groups_and_the_first_screen_has_those_that_matter() -> None:
    first_screen = "\n".join(help_of("serve").splitlines()[:LINES])
    for flag in ("--config", "--bind", "--database", "--auth", "--workers"):
        assert f"  {flag} " in first_screen
