"""The check of the database schema at start."""

import subprocess
import sys
from pathlib import Path

from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import text

from dibs.database import migrate, revisions
from dibs.wiring.administration import metadata

SOURCE = Path(__file__).parents[2] / "src"


def alter(url: str, statement: str) -> None:
    with revisions.connected(url) as connection, connection.begin():
        connection.execute(text(statement))


def test_newest_revision_is_the_head_of_the_migrations() -> None:
    config = Config()
    config.set_main_option("script_location", "dibs.database:migrations")
    config.set_main_option("path_separator", "os")
    assert revisions.newest() == ScriptDirectory.from_config(config).get_current_head()


def test_database_without_a_schema_is_outdated(blank_database_url: str) -> None:
    assert revisions.current(blank_database_url) is None
    assert revisions.is_outdated(blank_database_url)
    assert any("Run `dibs db upgrade`" in problem for problem in revisions.problems(blank_database_url, metadata))


def test_upgraded_database_fits(database_url: str) -> None:
    assert revisions.current(database_url) == revisions.newest()
    assert not revisions.is_outdated(database_url)
    assert revisions.problems(database_url, metadata) == []


def test_older_schema_is_a_problem(blank_database_url: str) -> None:
    migrate.upgrade(blank_database_url)
    alter(blank_database_url, "UPDATE alembic_version SET version_num = '0001'")
    (problem,) = revisions.problems(blank_database_url, metadata)
    assert problem.startswith("The database schema has revision 0001; this Dibs needs")
    assert problem.endswith("Run `dibs db upgrade`.")
    assert revisions.is_outdated(blank_database_url)


def test_newer_schema_that_only_added_something_fits(blank_database_url: str) -> None:
    migrate.upgrade(blank_database_url)
    alter(blank_database_url, "ALTER TABLE leases ADD COLUMN later INTEGER")
    alter(blank_database_url, "UPDATE alembic_version SET version_num = '9999'")
    assert revisions.problems(blank_database_url, metadata) == []
    assert migrate.problems(blank_database_url, metadata) == []
    assert not revisions.is_outdated(blank_database_url)


def test_newer_schema_that_removed_something_is_a_problem_for_older_code(blank_database_url: str) -> None:
    migrate.upgrade(blank_database_url)
    alter(blank_database_url, "UPDATE alembic_version SET version_num = '9999'")
    alter(blank_database_url, f"UPDATE schema_compatibility SET oldest_revision = '{revisions.newest()}'")
    assert revisions.problems(blank_database_url, metadata) == []
    alter(blank_database_url, "UPDATE schema_compatibility SET oldest_revision = '9998'")
    (problem,) = revisions.problems(blank_database_url, metadata)
    assert problem == (
        "The database schema has revision 9999, for Dibs with revision 9998 or later; this Dibs has"
        f" {revisions.newest()}. Install a later release of Dibs."
    )
    assert not revisions.is_outdated(blank_database_url)


def test_missing_column_is_a_problem(blank_database_url: str) -> None:
    migrate.upgrade(blank_database_url)
    alter(blank_database_url, "ALTER TABLE leases RENAME COLUMN name TO title")
    (problem,) = revisions.problems(blank_database_url, metadata)
    assert problem.startswith("The table leases differs from the code")


def test_wiring_describes_the_tables_of_every_package() -> None:
    """The comparison covers only tables whose modules are imported; the wiring must import them all."""
    found = [".".join(path.relative_to(SOURCE).with_suffix("").parts) for path in SOURCE.rglob("tables.py")]
    names = "from dibs.database.schema import metadata; print(sorted(metadata.tables))"
    assert _printed(f"import dibs.wiring.administration; {names}") == _printed(f"import {', '.join(found)}; {names}")


def _printed(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
