"""The tree under src and tests, and every operation in it, keep the rules of structure.py."""

from pathlib import Path, PurePosixPath

import pytest

import dibs
from dibs.access.access import Access
from tests.architecture import structure

ROOT = Path(__file__).parents[2]

NOT_MIRRORED = {
    "tests/conductor/test_database_away.py",
    "tests/conductor/test_killed.py",
    "tests/dialects/baremetal/test_access.py",
    "tests/dialects/baremetal/test_access_table.py",
    "tests/integrations/test_nova_ironic.py",
    "tests/integrations/test_nova_leases.py",
    "tests/machines/queries/test_ten_thousand_nodes.py",
    "tests/rpc/test_apart.py",
    "tests/rpc/test_crowds.py",
}
"""Tests of several modules of a package together: whole processes, whole APIs, many rows."""


@pytest.fixture(scope="module")
def sources() -> set[PurePosixPath]:
    return structure.paths_below(ROOT, "src/dibs", "*.py")


@pytest.fixture(scope="module")
def operations(sources: set[PurePosixPath]) -> list[structure.Operation]:
    given = {name for path in sources for name in structure.given_to_runners((ROOT / path).read_text())}
    return list(structure.operations_of(structure.operation_modules(dibs), given))


def test_no_folder_has_more_modules_than_a_reader_takes_in(sources: set[PurePosixPath]) -> None:
    assert list(structure.crowded_folders(sources)) == []


def test_every_package_says_what_belongs_in_it(sources: set[PurePosixPath]) -> None:
    texts = [(path, (ROOT / path).read_text()) for path in sorted(sources)]
    assert [line for path, text in texts for line in structure.short_room_docstring(path, text)] == []


def test_tests_mirror_the_source(sources: set[PurePosixPath]) -> None:
    tests = structure.paths_below(ROOT, "tests", "test_*.py")
    assert {str(test) for test in tests} >= NOT_MIRRORED
    assert sorted(structure.without_source(tests, sources, NOT_MIRRORED)) == []


def test_every_operation_takes_the_access_of_its_caller(operations: list[structure.Operation]) -> None:
    assert len(operations) > 100
    complaints = [line for each in operations for line in structure.callable_without_access(each, Access)]
    assert complaints == []


def test_no_command_carries_a_function(operations: list[structure.Operation]) -> None:
    assert [line for each in operations for line in structure.closures_in_command(each)] == []
