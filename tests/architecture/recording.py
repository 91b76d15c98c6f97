"""Find the functions that write rows, and those among them that record no event."""

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

_INSERTS = ("_INSERT", "_insert")


def writers(path: PurePosixPath, text: str) -> Iterator[tuple[str, bool]]:
    """Yield the name of each function of a module of queries that writes, and whether it records an event."""
    module = str(path.with_suffix("")).removeprefix("src/dibs/").replace("/", ".").replace(".queries", "")
    for scope, function in _functions(ast.parse(text)):
        calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
        if any(_writes(call) for call in calls):
            yield f"{module}.{scope}{function.name}", any(_method(call) == "record" for call in calls)


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield "", node
        if isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.", each) for each in node.body if isinstance(each, ast.FunctionDef))


def _writes(call: ast.Call) -> bool:
    """Return True for ``tx.change(…)``, and for a query whose statement is an INSERT that returns rows."""
    if _method(call) == "change" and isinstance(call.func, ast.Attribute):
        return isinstance(call.func.value, ast.Name) and call.func.value.id == "tx"
    if _method(call) not in ("values", "rows", "row", "tuples") or not call.args:
        return False
    return any(
        (isinstance(node, ast.Name) and node.id.startswith(_INSERTS))
        or (isinstance(node, ast.Attribute) and node.attr.startswith(_INSERTS))
        for node in ast.walk(call.args[0])
    )


def _method(call: ast.Call) -> str | None:
    return call.func.attr if isinstance(call.func, ast.Attribute) else None
