"""Migrations bring an empty database to the schema that the code describes, on every engine."""

import subprocess
import sys

from dibs.database import migrate


def test_an_empty_database_says_what_to_do(blank_database_url: str) -> None:
    assert migrate.version(blank_database_url) is None
    assert any("dibs db upgrade" in problem for problem in migrate.problems(blank_database_url))


def test_the_migrated_schema_is_the_one_in_the_code(blank_database_url: str) -> None:
    migrate.upgrade(blank_database_url)
    assert migrate.version(blank_database_url) == migrate.newest()
    assert migrate.problems(blank_database_url) == []


def test_upgrading_twice_changes_nothing(blank_database_url: str) -> None:
    migrate.upgrade(blank_database_url)
    migrate.upgrade(blank_database_url)
    assert migrate.problems(blank_database_url) == []


def test_several_processes_that_upgrade_at_once_make_one_schema(blank_database_url: str) -> None:
    program = "import sys; from dibs.database.migrate import upgrade; upgrade(sys.argv[1])"
    started = [subprocess.Popen([sys.executable, "-c", program, blank_database_url]) for _ in range(4)]
    assert [process.wait(timeout=60) for process in started] == [0, 0, 0, 0]
    assert migrate.problems(blank_database_url) == []
