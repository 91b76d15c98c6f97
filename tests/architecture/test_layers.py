"""The import contracts of pyproject.toml are able to fail: a small package that breaks one is found out.

Whether Dibs itself keeps them is checked by ``make lint`` and by the first test here.
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

# A package with one module in every place that a contract speaks of, and no import that breaks any.
GOOD = {
    "cli/__init__.py": "import dibs.wiring\nimport dibs.client\n",
    "wiring.py": "import dibs.store\nimport dibs.settings\n",
    "settings.py": "",
    "dialects/__init__.py": "",
    "dialects/baremetal.py": "import dibs.usecases.booking\n",
    "dialects/placement.py": "",
    "conductor/__init__.py": "",
    "rpc/__init__.py": "",
    "drivers/__init__.py": "",
    "http/__init__.py": "",
    "outside/__init__.py": "",
    "usecases/__init__.py": "",
    "usecases/booking.py": "import dibs.store.claims\n",
    "usecases/calendar.py": "import dibs.store.bookings\n",
    "usecases/leases.py": "",
    "store/__init__.py": "import sqlalchemy\n",
    "store/bookings.py": "",
    "store/claims.py": "",
    "domain/__init__.py": "",
    "client/__init__.py": "import openstack\n",
    "importing/__init__.py": "",
}

# Contract: a module and the import in it that breaks the contract.
BAD = {
    "layers": ("domain/__init__.py", "import dibs.store"),
    "dialects": ("dialects/placement.py", "import dibs.dialects.baremetal"),
    "store-users": ("dialects/placement.py", "import dibs.store"),
    "bookings": ("usecases/leases.py", "import dibs.store.bookings"),
    "claims": ("usecases/leases.py", "import dibs.store.claims"),
    "client": ("wiring.py", "import dibs.client"),
    "sql": ("usecases/leases.py", "import sqlalchemy"),
    "pure-domain": ("domain/__init__.py", "import time"),
    "acyclic": ("usecases/__init__.py", "import dibs.dialects"),
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


def test_a_good_package_keeps_the_contracts(tmp_path: Path) -> None:
    write_package(tmp_path, GOOD)
    done = lint(tmp_path)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("contract", BAD)
def test_a_contract_finds_the_import_that_breaks_it(contract: str, tmp_path: Path) -> None:
    module, bad_import = BAD[contract]
    write_package(tmp_path, {**GOOD, module: f"{GOOD[module]}{bad_import}\n"})
    done = lint(tmp_path, "--contract", contract)
    assert done.returncode == 1
    assert "Contracts: 0 kept, 1 broken." in done.stdout


def test_a_package_without_a_place_in_the_layers_is_found(tmp_path: Path) -> None:
    write_package(tmp_path, {**GOOD, "extras/__init__.py": ""})
    done = lint(tmp_path, "--contract", "layers")
    assert "dibs.extras" in done.stdout
    assert done.returncode == 1
