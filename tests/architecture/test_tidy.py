"""Every file keeps the rules of tidy.py, and each rule finds a violation."""

from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

import pytest

from tests.architecture import tidy

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "tests", "tools", "bench", "faults", "docs", "locks", ".ci")
TEXTS = {".py", ".md", ".toml", ".yaml", ".sh", ".txt", ".ini", ".cfg", ".json", ".js", ".css", ".html", ""}

Rule = Callable[[PurePosixPath, str], Iterator[str]]

PYTHON_RULES: list[Rule] = [tidy.too_long, tidy.package_without_docstring]
TEXT_RULES: list[Rule] = [tidy.unfinished, tidy.of_one_machine]


def our_files() -> list[Path]:
    """Return the files of the project, without those that tools generate."""
    inside = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    found = [path for path in [*inside, *ROOT.glob("*")] if path.is_file() and path.suffix in TEXTS]
    return [path for path in found if not {"__pycache__", "dibs.egg-info"} & set(path.parts)]


def complaints(rules: list[Rule], files: list[Path]) -> list[str]:
    """Return what the rules complain about in these files."""
    texts = [(PurePosixPath(path.relative_to(ROOT)), path.read_text()) for path in files]
    return [complaint for rule in rules for path, text in texts for complaint in rule(path, text)]


def test_files_and_functions_are_short_and_packages_have_docstrings() -> None:
    assert complaints(PYTHON_RULES, [path for path in our_files() if path.suffix == ".py"]) == []


def test_only_the_command_line_prints() -> None:
    assert complaints([tidy.prints], sorted((ROOT / "src").rglob("*.py"))) == []


def test_no_text_is_unfinished_or_names_one_machine() -> None:
    # The tests of this folder contain what the rules forbid.
    assert complaints(TEXT_RULES, [path for path in our_files() if path.parent != Path(__file__).parent]) == []


def test_no_module_has_a_vague_name() -> None:
    modules = [PurePosixPath(path.relative_to(ROOT)) for path in our_files() if path.suffix == ".py"]
    assert [complaint for module in modules for complaint in tidy.vague_name(module)] == []


LONG_FUNCTION = "def long():\n" + "    pass\n" * tidy.LONGEST_FUNCTION
LONG_FILE = "x = 1\n" * (tidy.LONGEST_FILE + 1)


@pytest.mark.parametrize(
    ("rule", "path", "text"),
    [
        (tidy.too_long, "src/dibs/a.py", LONG_FUNCTION),
        (tidy.too_long, "src/dibs/a.py", "async " + LONG_FUNCTION),
        (tidy.too_long, "src/dibs/a.py", LONG_FILE),
        (tidy.package_without_docstring, "src/dibs/a/__init__.py", "x = 1\n"),
        (tidy.prints, "src/dibs/ledger/a.py", "def f():\n    print(1)\n"),
        (tidy.unfinished, "docs/a.md", "Later (TODO)."),
        (tidy.of_one_machine, "docs/a.md", "See /home/jane/notes.txt"),
        (tidy.of_one_machine, "constraints.txt", "dibs @ file:///work/dibs/x"),
        (tidy.of_one_machine, "README.md", "pip install -i https://mirror.corp.internal/simple"),
    ],
)
def test_a_rule_finds_what_it_forbids(rule: Rule, path: str, text: str) -> None:
    assert len(list(rule(PurePosixPath(path), text))) == 1


@pytest.mark.parametrize("path", ["src/dibs/util.py", "src/dibs/common/nodes.py", "tests/helpers.py"])
def test_a_vague_name_is_found(path: str) -> None:
    assert len(list(tidy.vague_name(PurePosixPath(path)))) == 1


@pytest.mark.parametrize(
    ("rule", "path", "text"),
    [
        (tidy.too_long, "src/dibs/a.py", LONG_FUNCTION.replace("    pass\n", "", 1)),
        (tidy.package_without_docstring, "src/dibs/a/__init__.py", '"""The purpose of a."""\n'),
        (tidy.prints, "src/dibs/cli/a.py", "print(1)\n"),
        (
            tidy.of_one_machine,
            "docs/a.md",
            "http://127.0.0.1:8780/baremetal/v1/nodes and sqlite:////var/lib/dibs.sqlite",
        ),
    ],
)
def test_a_rule_accepts_correct_work(rule: Rule, path: str, text: str) -> None:
    assert list(rule(PurePosixPath(path), text)) == []
