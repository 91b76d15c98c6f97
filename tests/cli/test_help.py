"""The help fits a terminal of 80 columns and 24 lines."""

import contextlib
import io

import pytest

from dibs.cli.help import FREQUENT, overview
from dibs.cli.main import Dibs

COLUMNS, LINES = 80, 24


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    monkeypatch.setattr("sys.argv", ["dibs"])


def commands() -> list[str]:
    return sorted(name for name, _ in Dibs().command_manager)


def help_of(name: str) -> str:
    """Return the output of ``dibs NAME --help``."""
    app = Dibs()
    app.stdout = io.StringIO()
    assert app.run([*name.split(), "--help"]) == 0
    return app.stdout.getvalue()


def output_of(*arguments: str) -> str:
    app = Dibs()
    app.stdout = io.StringIO()
    with contextlib.suppress(SystemExit):
        app.run(list(arguments))
    return app.stdout.getvalue()


def test_frequent_commands_are_on_the_first_screen_and_every_command_is_listed() -> None:
    page = output_of("--help")
    first_screen = "\n".join(page.splitlines()[:LINES])
    assert "Which machine may I have, and when?" in first_screen
    assert [name for name in FREQUENT if f"\n  {name} " not in first_screen] == []
    assert [name for name in commands() if not all(word in page for word in name.split())] == []


def test_the_help_command_prints_the_same_as_the_option() -> None:
    assert output_of("help") == output_of("--help")


def test_no_line_of_help_is_wider_than_the_terminal() -> None:
    pages = {"dibs": output_of("--help")} | {name: help_of(name) for name in commands()}
    too_long = {name: line for name, page in pages.items() for line in page.splitlines() if len(line) > COLUMNS}
    assert too_long == {}


def test_every_command_has_a_one_line_description() -> None:
    manager = Dibs().command_manager
    classes = {name: manager.find_command(name.split())[0] for name in commands()}
    missing = [name for name, found in classes.items() if not (found.__doc__ or "").partition("\n")[0].strip()]
    assert missing == []
    assert "…" not in overview(manager), "shorten the first line of that command's docstring"


def test_the_main_flags_of_a_server_are_on_the_first_screen() -> None:
    first_screen = "\n".join(help_of("serve").splitlines()[:LINES])
    for flag in ("--config", "--bind", "--database", "--auth", "--workers"):
        assert f"  {flag} " in first_screen
