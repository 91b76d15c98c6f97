"""pyproject.toml declares the distributions that the code imports, and a server imports only what it needs to start."""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.bed.session import Bed

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
NAMED_ONLY = {"uvloop", "httptools"}
"""Distributions that uvicorn imports, because the server's options name them."""
NOT_RUNTIME = {"all", "docs", "release", "test"}
SLOW = (
    "alembic",
    "jsonschema",
    "keystoneauth1",
    "openstack",
    "oslo_config",
    "oslo_policy",
    "psycopg",
    "pymysql",
    "rich",
)
SLOW_DIALECTS = ("sqlalchemy.dialects.mysql", "sqlalchemy.dialects.postgresql")

START = """
import sys
from dibs.settings import Settings
from dibs.wiring.processes import build_application
application = build_application(Settings(database=sys.argv[1]))
application.start_once()
application.stop_once()
print(*sys.modules)
"""


def declared(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(each).name) for each in requirements}


def imported() -> Iterator[str]:
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                yield node.module


def test_dependencies_are_the_distributions_that_the_code_imports() -> None:
    known = packages_distributions()
    packages = {name.partition(".")[0] for name in imported()} - set(sys.stdlib_module_names) - {"dibs"}
    found = {canonicalize_name(known[package][0]) for package in packages}
    extras = PROJECT["optional-dependencies"]
    optional = [each for name, group in extras.items() if name not in NOT_RUNTIME for each in group]
    assert found | NAMED_ONLY == declared(PROJECT["dependencies"]) | declared(optional)


def test_extra_all_has_every_runtime_extra() -> None:
    extras = PROJECT["optional-dependencies"]
    (everything,) = map(Requirement, extras["all"])
    assert everything.extras == set(extras) - NOT_RUNTIME


@pytest.mark.needs_engine("sqlite")
def test_start_on_an_up_to_date_database_imports_no_slow_module(bed: Bed) -> None:
    url = bed.databases("sqlite").fresh()
    done = subprocess.run([sys.executable, "-c", START, url], capture_output=True, text=True, check=True)
    bed.databases("sqlite").discard(url)
    found = {name for name in done.stdout.split() if name.partition(".")[0] in SLOW or name.startswith(SLOW_DIALECTS)}
    assert found == set()
