"""Tests that share a slow fixture have the same scope; other tests run on any worker."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.bed.processes import clean_environment
from tests.bed.scheduling import STARTS_FIRST, TOGETHER, TOGETHER_BY_FILE, rank_of, scope_of

ROOT = Path(__file__).parents[2]

SHARING_TEST = """
import pytest

@pytest.mark.parametrize("number", range(20))
def test_shares(number, worker_id):
    with open({workers!r}, "a") as output:
        output.write(worker_id + "\\n")
"""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tests/integrations/test_nova.py::test_a", "tests/integrations/test_nova_leases.py::test_b[sqlite]"),
        ("tests/importing/ironic/test_a.py::test_a", "tests/importing/test_connecting.py::test_b"),
        ("tests/importing/test_connecting.py::test_a", "tests/http/auth/test_keystone.py::test_b"),
        ("tests/importing/test_connecting.py::test_a", "tests/integrations/test_keystone_limits.py::test_b"),
        (
            "tests/contracts/test_contracts.py::test_exchange[sqlite-baremetal/nodes: list]",
            "tests/contracts/test_contracts.py::test_exchange[sqlite-baremetal/nodes: show: all]",
        ),
        ("tests/attacks/test_socket.py::test_a[sqlite]", "tests/attacks/test_socket.py::test_b[mariadb]"),
    ],
)
def test_tests_with_a_shared_fixture_run_on_the_same_worker(one: str, other: str) -> None:
    assert scope_of(one) == scope_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tests/races/test_claims.py::test_a", "tests/races/test_claims.py::test_b"),
        ("tests/races/test_claims.py::test_a[sqlite]", "tests/races/test_claims.py::test_a[mariadb]"),
        ("tests/attacks/test_socket.py::test_a", "tests/attacks/test_one_mistake.py::test_a"),
        (
            "tests/contracts/test_contracts.py::test_exchange[sqlite-baremetal/nodes: list]",
            "tests/contracts/test_contracts.py::test_exchange[mariadb-baremetal/nodes: list]",
        ),
        (
            "tests/contracts/test_contracts.py::test_exchange[sqlite-baremetal/nodes: list]",
            "tests/contracts/test_contracts.py::test_exchange[sqlite-baremetal/nodes-list: list]",
        ),
    ],
)
def test_other_tests_run_on_any_worker(one: str, other: str) -> None:
    assert scope_of(one) != scope_of(other)


def test_long_tests_start_before_short_ones() -> None:
    assert rank_of("tests/crashes/test_kill.py::test_a") < rank_of("tests/leases/model/test_matching.py::test_a")


@pytest.mark.parametrize("prefix", sorted({*TOGETHER, *TOGETHER_BY_FILE, *STARTS_FIRST}))
def test_every_entry_names_an_existing_folder_or_file(prefix: str) -> None:
    assert (ROOT / prefix).exists()


def test_one_of_two_workers_runs_all_tests_of_a_scope(tmp_path: Path) -> None:
    folder = tmp_path / "tests/packaging"
    folder.mkdir(parents=True)
    workers = tmp_path / "workers"
    (folder / "test_sharing.py").write_text(SHARING_TEST.format(workers=str(workers)))
    flags = ("-p", "tests.conftest", f"--rootdir={tmp_path}", "--engine=sqlite", "--numprocesses=2")
    command = [sys.executable, "-m", "pytest", *flags, str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=clean_environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert len(workers.read_text().split()) == 20
    assert len(set(workers.read_text().split())) == 1
