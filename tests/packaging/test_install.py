"""Wheel and source distribution are complete, and ``pipx`` installs a working ``dibs`` from them.

``pip install .`` builds the same wheel and installs it into a virtual environment, as pipx does; so one installation
tests both.
"""

import sys
import tarfile
import urllib.request
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.bed.processes import free_port, start_process, stop_process, tail_of
from tests.bed.waiting import eventually
from tests.clients.clouds import bare_environment
from tests.packaging.building import ROOT, build, only, run


def modules(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/RECORD")}


def test_wheel_has_exactly_the_files_of_the_package(built: Path, source: Path) -> None:
    found = {name for name in contents(only(built, "*.whl")) if ".dist-info/" not in name}
    ours = {name for name in modules(source / "src") if "egg-info" not in name}
    assert found == ours
    assert "dibs/py.typed" in found
    assert "dibs/database/migrations/versions/v0001_ledger_and_machines.py" in found


def test_sources_and_source_distribution_give_the_same_wheel(built: Path, source: Path) -> None:
    folder = source.parent / "direct"
    build(source, folder, "--wheel")
    assert contents(only(folder, "*.whl")) == contents(only(built, "*.whl"))


def test_source_distribution_has_tests_documents_and_deployment_files(built: Path, source: Path) -> None:
    with tarfile.open(only(built, "*.tar.gz")) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    parts = ("tests", "docs", "deploy", "tools", "locks")
    wanted = {f"{part}/{name}" for part in parts for name in modules(source / part)}
    assert wanted - names == set()
    assert names >= {"README.md", "LICENSE", "Makefile", "constraints.txt", "mkdocs.yml", "pyproject.toml"}
    assert names >= {"CHANGELOG.md", "CONTRIBUTING.md", ".dockerignore", ".pre-commit-config.yaml"}


def test_dibs_installed_by_pipx_serves_in_an_empty_folder(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = {"PIPX_HOME": str(tmp_path / "pipx"), "PIPX_BIN_DIR": str(tmp_path / "bin"), "PIPX_MAN_DIR": str(tmp_path)}
    limits = f"--pip-args=--constraint={ROOT / 'constraints.txt'}"
    run(
        sys.executable,
        "-m",
        "pipx",
        "install",
        limits,
        only(built, "*.whl"),
        cwd=tmp_path,
        PIP_NO_COMPILE="1",
        **places,
    )
    dibs = tmp_path / "bin" / "dibs"
    assert run(dibs, "--version", cwd=tmp_path) == f"dibs {version('dibs')}\n"

    port = free_port()
    log = tmp_path / "log"
    environment = bare_environment() | {"DIBS_BIND": f"127.0.0.1:{port}"}
    environment.pop("PYTHONPATH", None)
    monkeypatch.chdir(tmp_path)
    process = start_process([str(dibs), "serve"], log, environment)
    try:
        eventually(lambda: answers(f"http://127.0.0.1:{port}/readyz"), 60, "the installed dibs")
    except AssertionError:
        raise AssertionError(tail_of(log)) from None
    finally:
        stopped = stop_process(process)
    assert stopped == 0


def answers(url: str) -> bool:
    with urllib.request.urlopen(url, timeout=5) as answer:
        return int(answer.status) == 200
