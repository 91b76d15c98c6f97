"""The release before runs on the schema of each migration (ADR 0012), and the rule finds what would break it."""

import importlib
import pkgutil
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import op

from dibs.database.migrations import versions
from dibs.database.migrations.contract import refuse_code_before
from tests.architecture.migration_rules import DIALECTS, complaints, statements_of

CHANGELOG = Path(__file__).parents[2] / "CHANGELOG.md"
LAST_BEFORE_THE_RULE = "0010"
RELEASED = re.compile(r"^Schema revision (?P<revision>\d{4})\.$", re.MULTILINE)

Upgrade = Callable[[], None]


def test_release_before_runs_on_the_schema_of_each_migration() -> None:
    released = max((found["revision"] for found in RELEASED.finditer(CHANGELOG.read_text())), default=None)
    names = [module.name for module in pkgutil.iter_modules(versions.__path__)]
    assert f"v{LAST_BEFORE_THE_RULE}" in {name[:5] for name in names}
    found = [
        f"{name}: {complaint}"
        for name in names
        if name[1:5] > LAST_BEFORE_THE_RULE
        for dialect in DIALECTS
        for complaint in complaints(statements_of(_upgrade_of(name), dialect), released)
    ]
    assert found == []


def _upgrade_of(name: str) -> Upgrade:
    upgrade: Upgrade = importlib.import_module(f"{versions.__name__}.{name}").upgrade
    return upgrade


def make_narrower() -> None:
    if op.get_context().dialect.name == "sqlite":
        op.execute("ALTER TABLE nodes RENAME COLUMN name TO old_name")
    else:
        op.alter_column("nodes", "name", type_=sa.String(10), existing_type=sa.String(255))


def drop_constraint() -> None:
    if op.get_context().dialect.name == "sqlite":
        op.drop_index("uq_nodes_name", "nodes")
    else:
        op.drop_constraint("uq_nodes_name", "nodes", type_="unique")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "upgrade",
    [
        lambda: op.drop_table("nodes"),
        lambda: op.rename_table("nodes", "machines"),
        lambda: op.drop_column("nodes", "name"),
        lambda: op.execute("ALTER TABLE nodes RENAME COLUMN name TO title"),
        lambda: op.drop_index("ix_nodes_name", "nodes"),
        lambda: op.execute("DELETE FROM nodes"),
        lambda: op.add_column("nodes", sa.Column("rack", sa.String(10), nullable=False)),
        lambda: op.create_index("uq_nodes_name", "nodes", ["name"], unique=True),
        make_narrower,
        drop_constraint,
    ],
)
def test_migration_that_breaks_the_release_before_is_found(upgrade: Upgrade, dialect: str) -> None:
    assert len(list(complaints(statements_of(upgrade, dialect), "0012"))) == 1


def add_table_with_unique_index() -> None:
    op.create_table("racks", sa.Column("id", sa.Integer(), nullable=False), sa.Column("name", sa.String(10)))
    op.create_index("uq_racks_name", "racks", ["name"], unique=True)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "upgrade",
    [
        lambda: op.add_column("nodes", sa.Column("rack", sa.String(10), nullable=True)),
        lambda: op.add_column("nodes", sa.Column("rack", sa.String(10), nullable=False, server_default="none")),
        lambda: op.create_index("ix_nodes_rack", "nodes", ["rack"]),
        lambda: op.execute("UPDATE nodes SET rack = name"),
        add_table_with_unique_index,
    ],
)
def test_migration_that_only_adds_is_accepted(upgrade: Upgrade, dialect: str) -> None:
    assert list(complaints(statements_of(upgrade, dialect), None)) == []


def contract() -> None:
    refuse_code_before("0012")
    op.drop_column("nodes", "name")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_migration_removes_only_what_a_release_no_longer_uses(dialect: str) -> None:
    statements = statements_of(contract, dialect)
    assert list(complaints(statements, "0012")) == []
    assert len(list(complaints(statements, "0011"))) == 1
    assert len(list(complaints(statements, None))) == 1
    # The record comes first: MariaDB commits each statement.
    assert len(list(complaints(statements[::-1], "0012"))) == 1
