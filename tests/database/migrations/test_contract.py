"""A migration that removes something records first which code can use the schema."""

from alembic.migration import MigrationContext
from alembic.operations import Operations

from dibs.database import migrate, revisions
from dibs.database.migrations.contract import refuse_code_before
from dibs.wiring.administration import metadata


def contract(url: str, revision: str) -> None:
    with revisions.connected(url) as connection, connection.begin():
        with Operations.context(MigrationContext.configure(connection)):
            refuse_code_before(revision)
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")


def test_older_code_is_refused_and_a_later_step_does_not_admit_it_again(blank_database_url: str) -> None:
    migrate.upgrade(blank_database_url)
    contract(blank_database_url, revisions.newest())
    assert revisions.problems(blank_database_url, metadata) == []
    contract(blank_database_url, "9998")
    contract(blank_database_url, revisions.newest())
    (problem,) = revisions.problems(blank_database_url, metadata)
    assert "revision 9998 or later" in problem
