"""Each import contract of pyproject.toml finds the import that it forbids, in a small sample package.

``make lint`` and the first test here check whether Dibs itself keeps the contracts.
"""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYPROJECT = ROOT / "pyproject.toml"
CONTRACTS = tomllib.loads(PYPROJECT.read_text())["tool"]["importlinter"]["contracts"]
LAYERS = {
    name.strip(" ()")
    for contract in CONTRACTS
    if contract["id"] == "layers"
    for layer in contract["layers"]
    for name in layer.split("|")
}
ROOMS = (
    "events",
    "ledger",
    "candidates",
    "machines",
    "quotas",
    "allocations",
    "leases",
    "flavors",
    "servers",
    "sessions",
    "webhooks",
    "reports",
    "calendars",
    "notifications",
)


def room(name: str) -> dict[str, str]:
    """Return the modules of one room; each imports only what its contract permits."""
    return {
        f"{name}/__init__.py": "",
        f"{name}/model/__init__.py": "",
        f"{name}/tables.py": "import sqlalchemy\n",
        f"{name}/queries/__init__.py": f"import dibs.{name}.tables\nimport dibs.{name}.model\n",
        f"{name}/operations/__init__.py": "",
        f"{name}/operations/sample.py": f"import dibs.{name}.queries\n",
    }


# A package with every module that a contract names, and no import that breaks a contract.
GOOD = {
    **{f"{name}/__init__.py": "" for name in LAYERS},
    "cli/__init__.py": "import dibs.wiring\nimport dibs.client\n",
    "wiring/__init__.py": "import dibs.database\nimport dibs.settings\n",
    "dialects/baremetal.py": "import dibs.machines.operations.sample\n",
    "dialects/placement.py": "import dibs.ledger.model\n",
    **{path: text for name in ROOMS for path, text in room(name).items()},
    "ledger/queries/claims.py": "",
    "ledger/operations/claiming.py": "import dibs.ledger.queries.claims\n",
    "leases/queries/booking_writes.py": "",
    "leases/operations/booking.py": "import dibs.leases.queries.booking_writes\n",
    "database/__init__.py": "import sqlalchemy\n",
    "client/__init__.py": "import openstack\n",
}

# By contract: modules, and the import in each that breaks the contract.
BAD = {
    "layers": [("ledger/model/__init__.py", "import dibs.machines.model")],
    "doors": [
        ("leases/model/__init__.py", "import dibs.leases.tables"),
        ("leases/tables.py", "import dibs.leases.queries"),
        ("leases/queries/__init__.py", "import dibs.leases.operations.sample"),
    ],
    "dialects": [("dialects/placement.py", "import dibs.dialects.baremetal")],
    "queries-users": [
        ("dialects/placement.py", "import dibs.ledger.queries"),
        ("conductor/__init__.py", "import dibs.leases.tables"),
    ],
    "claims": [("leases/operations/sample.py", "import dibs.ledger.queries.claims")],
    "bookings": [("leases/operations/sample.py", "import dibs.leases.queries.booking_writes")],
    "client": [("wiring/__init__.py", "import dibs.client"), ("conductor/__init__.py", "import dibs.importing")],
    "sql": [
        ("leases/operations/sample.py", "import sqlalchemy"),
        ("leases/model/__init__.py", "import sqlite3"),
        ("dialects/placement.py", "import psycopg"),
    ],
    "pure-model": [("machines/model/__init__.py", "import time")],
    "acyclic": [("access/__init__.py", "import dibs.database"), ("database/__init__.py", "import dibs.access")],
}


def lint(package_folder: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    """Run the project's contracts on the package ``dibs`` in a folder."""
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--config", PYPROJECT, "--no-cache", "--no-logo", *flags],
        env={**os.environ, "PYTHONPATH": str(package_folder)},
        cwd=package_folder,
        capture_output=True,
        text=True,
    )


def write_package(folder: Path, files: dict[str, str]) -> None:
    """Write a package called dibs."""
    for name, text in {"__init__.py": "", **files}.items():
        path = folder / "dibs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_dibs_keeps_its_contracts() -> None:
    done = lint(ROOT / "src")
    assert done.returncode == 0, done.stdout


def test_every_contract_has_a_sample_that_breaks_it() -> None:
    assert {contract["id"] for contract in CONTRACTS} == set(BAD)


def test_every_room_is_checked_for_the_order_of_its_parts() -> None:
    (doors,) = (contract for contract in CONTRACTS if contract["id"] == "doors")
    assert set(doors["containers"]) == {f"dibs.{name}" for name in ROOMS}
    with_operations = {path.parent.name for path in (ROOT / "src/dibs").glob("*/operations")}
    assert with_operations == set(ROOMS)


def test_a_package_without_a_forbidden_import_keeps_every_contract(tmp_path: Path) -> None:
    write_package(tmp_path, GOOD)
    done = lint(tmp_path)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("contract", BAD)
def test_a_contract_finds_each_import_that_breaks_it(contract: str, tmp_path: Path) -> None:
    files = dict(GOOD)
    for module, bad_import in BAD[contract]:
        files[module] += f"{bad_import}\n"
    write_package(tmp_path, files)
    done = lint(tmp_path, "--contract", contract)
    assert done.returncode == 1
    assert "Contracts: 0 kept, 1 broken." in done.stdout
    if contract != "acyclic":
        report = " ".join(done.stdout.split())
        assert [bad for bad in BAD[contract] if not names_import(report, *bad)] == []


def names_import(report: str, path: str, bad_import: str) -> bool:
    """Say whether a report names the module at a path together with what it imports."""
    module = ".".join(("dibs", *Path(path).with_suffix("").parts)).removesuffix(".__init__")
    return f"{module} -> {bad_import.removeprefix('import ')} (l." in report


def test_a_package_without_a_place_in_the_layers_is_found(tmp_path: Path) -> None:
    write_package(tmp_path, {**GOOD, "leftovers/__init__.py": ""})
    done = lint(tmp_path, "--contract", "layers")
    assert "dibs.leftovers" in done.stdout
    assert done.returncode == 1
