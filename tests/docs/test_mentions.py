"""Commands, flags, variables and files that the documents name exist, even where no test runs them."""

import contextlib
import functools
import io
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from dibs.cli.main import Dibs
from dibs.settings import CONFIG_VARIABLE, FIELDS

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
_FENCED_SHELL = re.compile(r"^```sh[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"^ {4,}(\S.*)$", re.MULTILINE)
_END_OF_COMMAND = {"|", "||", "&&", ">", ">>", "<", ";", "2>&1"}

each_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))


@functools.cache
def application() -> Dibs:
    return Dibs()


def commands_in(text: str) -> Iterator[str]:
    """Yield every shell line that begins with ``dibs``, with its continuation lines, unless it contains an ellipsis."""
    blocks = [*_FENCED_SHELL.findall(text), "\n".join(_INDENTED.findall(_FENCED.sub("", text)))]
    for block in blocks:
        for line in block.replace("\\\n", " ").splitlines():
            if re.match(r"dibs [a-z]", line.strip()) and "…" not in line:
                yield line.strip()


def parser_error(line: str) -> str | None:
    """Return the error of the real parser for a command, or None."""
    words = shlex.split(line, comments=True)
    end = next((place for place, word in enumerate(words) if word in _END_OF_COMMAND), len(words))
    app = application()
    error_output = io.StringIO()
    try:
        kind, name, rest = app.command_manager.find_command(words[1:end])
        with contextlib.redirect_stderr(error_output):
            kind(app, None).get_parser(f"dibs {name}").parse_args(rest)
    except ValueError as error:
        return f"{line}: {error}"
    except SystemExit as end_of_parser:
        return f"{line}: {error_output.getvalue()}" if end_of_parser.code else None
    return None


@functools.cache
def flags() -> frozenset[str]:
    """Return the long flags of every command."""
    app = application()
    found = set(re.findall(r"--[a-z][a-z-]+", app.parser.format_help()))
    for name, _ in app.command_manager:
        kind, _, _ = app.command_manager.find_command(name.split())
        found |= set(re.findall(r"--[a-z][a-z-]+", kind(app, None).get_parser(name).format_help()))
    return frozenset(found)


@functools.cache
def sources() -> str:
    return "\n".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))


@each_document
def test_parser_accepts_every_dibs_command(document: Path) -> None:
    assert [error for line in commands_in(document.read_text()) if (error := parser_error(line))] == []


@each_document
def test_every_variable_is_a_setting_or_read_by_the_code(document: Path) -> None:
    settings = {f"DIBS_{name.upper()}" for name in FIELDS} | {CONFIG_VARIABLE}
    named = set(re.findall(r"\bDIBS_[A-Z_]*[A-Z]\b", document.read_text()))
    assert {name for name in named - settings if name not in sources()} == set()


@pytest.mark.parametrize("document", sorted((ROOT / "docs/operations").glob("*.md")), ids=lambda path: path.name)
def test_every_flag_in_the_operations_pages_exists(document: Path) -> None:
    """For example `--take-over-seconds 0` within a sentence."""
    alone = set(re.findall(r"`(--[a-z][a-z-]+)(?:[ =][^`]*)?`", document.read_text()))
    of_containers = {"--hostname", "--read-only", "--cap-drop"}
    assert alone - flags() - of_containers == set()


@each_document
def test_every_named_folder_and_file_of_the_repository_exists(document: Path) -> None:
    named = re.findall(r"`((?:src|tests|tools|deploy|docs|bench|faults)/[\w./-]+)`", document.read_text())
    examples = {"src/dibs/a/b.py", "tests/a/test_b.py"}
    assert [name for name in named if name not in examples and not (ROOT / name).exists()] == []


@pytest.mark.parametrize("line", ["dibs swerve", "dibs serve --bnd x", "dibs db upgrade --workers 2", "dibs user add"])
def test_invalid_command_is_found(line: str) -> None:
    assert parser_error(line) is not None
