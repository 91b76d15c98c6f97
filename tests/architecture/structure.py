"""House rules about the tree and about operations: each function returns its complaints."""

import ast
import importlib
import inspect
import pkgutil
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from msgspec import Struct

MOST_MODULES = 15
SHORTEST_DOCSTRING = 3
RUNNER_METHODS = {"read", "write"}

SUITES = {
    "architecture",
    "attacks",
    "bed",
    "bench",
    "browsers",
    "clients",
    "conformance",
    "contracts",
    "crashes",
    "deploy",
    "docs",
    "faults",
    "packaging",
    "races",
    "tools",
}
"""Folders under tests that cut across the source; every other folder mirrors it."""

Operation = Callable[..., Any]


def crowded_folders(modules: Iterable[PurePosixPath]) -> Iterator[str]:
    """Complain about folders with more modules than a reader takes in; migrations are a list, however long."""
    counts: dict[PurePosixPath, int] = {}
    for module in modules:
        if module.name != "__init__.py" and "migrations" not in module.parts:
            counts[module.parent] = counts.get(module.parent, 0) + 1
    for folder, count in sorted(counts.items()):
        if count > MOST_MODULES:
            yield f"{folder}: {count} modules, more than {MOST_MODULES}"


def short_room_docstring(path: PurePosixPath, text: str) -> Iterator[str]:
    """Complain when the docstring of a package directly under dibs is too short to say what belongs in it."""
    if path.name != "__init__.py" or path.parent.parent != PurePosixPath("src/dibs"):
        return
    lines = [line for line in (ast.get_docstring(ast.parse(text)) or "").splitlines() if line.strip()]
    if len(lines) < SHORTEST_DOCSTRING:
        yield f"{path}: {len(lines)} lines of docstring, fewer than {SHORTEST_DOCSTRING}"


def without_source(tests: Iterable[PurePosixPath], sources: set[PurePosixPath], excepted: set[str]) -> Iterator[str]:
    """Complain about ``tests/a/b/test_c.py`` without ``src/dibs/a/b/c.py`` (or a package of that name)."""
    for test in tests:
        inside = test.relative_to("tests")
        if inside.parts[0] in SUITES or str(test) in excepted:
            continue
        mirrored = PurePosixPath("src/dibs") / inside.parent / inside.stem.removeprefix("test_")
        if mirrored.with_suffix(".py") not in sources and mirrored / "__init__.py" not in sources:
            yield f"{test}: there is no {mirrored}.py"


def given_to_runners(text: str) -> Iterator[str]:
    """Name the functions, with their modules, that a module passes to ``….read(function, …)`` or ``….write(…)``."""
    tree = ast.parse(text)
    imported = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in RUNNER_METHODS:
            for function in map(ast.unparse, _choices(node.args[0]) if node.args else ()):
                module, _, name = function.rpartition(".")
                yield f"{imported.get(module)}.{name}" if module else str(imported.get(name))


def _choices(argument: ast.expr) -> list[ast.expr]:
    """Return both sides of ``a if condition else b``, or the argument itself."""
    return [argument.body, argument.orelse] if isinstance(argument, ast.IfExp) else [argument]


def operation_modules(package: types.ModuleType) -> Iterator[types.ModuleType]:
    """Import every module below an ``operations`` package."""
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if ".operations." in found.name:
            yield importlib.import_module(found.name)


def operations_of(modules: Iterable[types.ModuleType], given: set[str]) -> Iterator[Operation]:
    """Yield the functions that take a transaction first and are passed to a runner."""
    for module in modules:
        for _, function in inspect.getmembers(module, inspect.isfunction):
            first = next(iter(inspect.signature(function).parameters), None)
            if function.__module__ == module.__name__ and first == "tx" and _name(function) in given:
                yield function


def callable_without_access(operation: Operation, access_type: type) -> Iterator[str]:
    """Complain about an operation whose second parameter is not the caller's access, or has a default."""
    parameters = list(inspect.signature(operation).parameters.values())
    names = [parameter.name for parameter in parameters]
    if names[:3] != ["tx", "access", "now"] or len(names) != 4:
        yield f"{_name(operation)} takes {', '.join(names)}; expected tx, access, now, command"
    elif typing.get_type_hints(operation)["access"] is not access_type:
        yield f"{_name(operation)}: access is not an {access_type.__name__}"
    elif parameters[1].default is not inspect.Parameter.empty:
        yield f"{_name(operation)}: access has a default"


def closures_in_command(operation: Operation) -> Iterator[str]:
    """Complain about fields of an operation's command that hold functions: such a command cannot be sent or logged."""
    hints = typing.get_type_hints(operation)
    command = list(inspect.signature(operation).parameters)[-1]
    for where in _closures(hints[command], set()):
        yield f"{_name(operation)}: {where}"


def _closures(hint: Any, seen: set[Any]) -> Iterator[str]:
    origin = typing.get_origin(hint)
    if Callable in (hint, origin):
        yield f"a function ({hint})"
    for part in typing.get_args(hint):
        if not isinstance(part, list):
            yield from _closures(part, seen)
    if isinstance(hint, type) and issubclass(hint, Struct) and hint not in seen:
        seen.add(hint)
        for field, inner in typing.get_type_hints(hint).items():
            for problem in _closures(inner, seen):
                yield f"{hint.__name__}.{field} is {problem}"


def _name(operation: Operation) -> str:
    return f"{operation.__module__}.{operation.__name__}"


def paths_below(root: Path, folder: str, pattern: str) -> set[PurePosixPath]:
    """Return the files of a folder, relative to the root of the project."""
    return {PurePosixPath(path.relative_to(root)) for path in (root / folder).rglob(pattern)}
