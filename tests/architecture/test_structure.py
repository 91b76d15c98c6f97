"""Each rule of structure.py finds a violation and accepts correct work; test_source_tree.py applies them to Dibs."""

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any

import pytest
from msgspec import Struct

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from tests.architecture import structure


def test_fifteen_modules_fit_in_a_folder_and_sixteen_do_not() -> None:
    folder = PurePosixPath("src/dibs/leases/model")
    fifteen = [folder / "__init__.py", *(folder / f"m{number}.py" for number in range(15))]
    assert list(structure.crowded_folders(fifteen)) == []
    assert len(list(structure.crowded_folders([*fifteen, folder / "one_more.py"]))) == 1


@pytest.mark.parametrize(
    ("path", "text", "complaints"),
    [
        ("src/dibs/leases/__init__.py", '"""One.\n\nTwo.\n"""\n', 1),
        ("src/dibs/leases/__init__.py", "", 1),
        ("src/dibs/leases/__init__.py", '"""One.\n\nTwo.\nThree.\n"""\n', 0),
        ("src/dibs/leases/model/__init__.py", '"""One."""\n', 0),
    ],
)
def test_a_short_package_docstring_is_found(path: str, text: str, complaints: int) -> None:
    assert len(list(structure.short_room_docstring(PurePosixPath(path), text))) == complaints


@pytest.mark.parametrize(
    ("test", "complaints"),
    [
        ("tests/leases/model/test_windows.py", 0),
        ("tests/leases/test_model.py", 0),
        ("tests/races/test_anything.py", 0),
        ("tests/leases/test_windows.py", 1),
        ("tests/leases/test_excepted.py", 0),
    ],
)
def test_a_test_without_a_source_is_found(test: str, complaints: int) -> None:
    sources = {PurePosixPath("src/dibs/leases/model/windows.py"), PurePosixPath("src/dibs/leases/model/__init__.py")}
    found = structure.without_source([PurePosixPath(test)], sources, {"tests/leases/test_excepted.py"})
    assert len(list(found)) == complaints


def test_functions_given_to_runners_are_found_by_the_modules_they_come_from() -> None:
    text = """
from dibs.leases.operations import hosts as operations
from dibs.leases.operations.leases import (create_lease, delete_lease)

runner.write(create_lease, access, command)
exchange.read(operations.list_hosts, command)
exchange.write(delete_lease if gone else operations.remove_host, command)
file.read()
file.write(text)
"""
    assert set(structure.given_to_runners(text)) - {"None"} == {
        "dibs.leases.operations.leases.create_lease",
        "dibs.leases.operations.leases.delete_lease",
        "dibs.leases.operations.hosts.list_hosts",
        "dibs.leases.operations.hosts.remove_host",
    }


class Inner(Struct, frozen=True):
    guards: Mapping[str, Callable[[str], None]]


class WithClosure(Struct, frozen=True):
    inner: tuple[Inner, ...] | None


class PlainData(Struct, frozen=True):
    names: tuple[str, ...]
    values: Mapping[str, Any]


def good(tx: Transaction, access: Access, now: int, command: PlainData) -> None: ...
def without_access(tx: Transaction, now: int, command: WithClosure) -> None: ...
def with_default(tx: Transaction, access: Access = None, now: int = 0, command: None = None) -> None: ...  # type: ignore[assignment]
def with_anything(tx: Transaction, access: Any, now: int, command: None) -> None: ...


@pytest.mark.parametrize(
    ("operation", "complaints"), [(good, 0), (without_access, 1), (with_default, 1), (with_anything, 1)]
)
def test_an_operation_that_can_be_called_without_access_is_found(
    operation: structure.Operation, complaints: int
) -> None:
    assert len(list(structure.callable_without_access(operation, Access))) == complaints


@pytest.mark.parametrize(("operation", "complaints"), [(good, 0), (without_access, 1)])
def test_a_closure_deep_in_a_command_is_found(operation: structure.Operation, complaints: int) -> None:
    assert len(list(structure.closures_in_command(operation))) == complaints
