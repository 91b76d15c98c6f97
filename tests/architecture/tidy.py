"""House rules for single files: each function takes one file and returns its complaints."""

import ast
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

LONGEST_FILE = 400
LONGEST_FUNCTION = 60
VAGUE_NAMES = {"util", "utils", "helper", "helpers", "common", "misc", "manager", "managers", "base"}

UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX)\b")
OF_ONE_MACHINE = re.compile(
    r"(?<![\w.~-])/(work|home/\w+|root|opt/\w+|tmp/\w+)/|https?://[\w.-]+\.(internal|local|lan|corp)\b"
)


def vague_name(path: PurePosixPath) -> Iterator[str]:
    """Complain about module and folder names that fit anything."""
    for part in (*path.parent.parts, path.stem):
        if part in VAGUE_NAMES:
            yield f"{path}: '{part}' does not say what the module contains"


def too_long(path: PurePosixPath, text: str) -> Iterator[str]:
    """Complain about long files and functions, except in migrations, which are lists of statements."""
    if "migrations" in path.parts:
        return
    lines = text.count("\n")
    if lines > LONGEST_FILE:
        yield f"{path}: {lines} lines, more than {LONGEST_FILE}"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > LONGEST_FUNCTION:
                yield f"{path}:{node.lineno}: {node.name} has {lines} lines, more than {LONGEST_FUNCTION}"


def package_without_docstring(path: PurePosixPath, text: str) -> Iterator[str]:
    """Complain about packages without a docstring."""
    if path.parts[0] == "src" and path.name == "__init__.py" and not ast.get_docstring(ast.parse(text)):
        yield f"{path}: a package needs a docstring"


def prints(path: PurePosixPath, text: str) -> Iterator[str]:
    """Complain about print() outside the command line; other packages log."""
    if "cli" in path.parts:
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            yield f"{path}:{node.lineno}: print outside the command line"


def unfinished(path: PurePosixPath, text: str) -> Iterator[str]:
    """Complain about notes of unfinished work, which belong in an issue."""
    for number, line in enumerate(text.splitlines(), 1):
        if UNFINISHED.search(line):
            yield f"{path}:{number}: {line.strip()}"


def of_one_machine(path: PurePosixPath, text: str) -> Iterator[str]:
    """Complain about paths and hosts that exist only on one machine or network."""
    for number, line in enumerate(text.splitlines(), 1):
        if found := OF_ONE_MACHINE.search(line):
            yield f"{path}:{number}: {found.group()} exists on one machine only"
