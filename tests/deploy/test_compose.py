"""The compose file is valid: two APIs, two conductors and three Galera nodes, with commands that Dibs knows."""

import collections
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.commands import DEPLOY, settings_of

FOLDER = DEPLOY / "compose"
FILE = FOLDER / "compose.yaml"
_VARIABLE = re.compile(r"\$\{(\w+)(?::[-?][^}]*)?\}")


def example_environment() -> dict[str, str]:
    lines = (FOLDER / "example.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def services() -> dict[str, dict[str, Any]]:
    """Return the services, with variables replaced as compose does."""
    known = example_environment() | {"GALERA_FIRST": ""}
    found: dict[str, dict[str, Any]] = yaml.safe_load(_VARIABLE.sub(lambda match: known[match[1]], FILE.read_text()))[
        "services"
    ]
    return found


def dibs_services() -> dict[str, dict[str, Any]]:
    return {name: service for name, service in services().items() if service["image"] == "dibs"}


def test_compose_file_matches_the_compose_schema() -> None:
    checker = Path(sys.executable).with_name("check-jsonschema")
    done = subprocess.run(
        [checker, "--builtin-schema", "vendor.compose-spec", FILE], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_compose_file_has_two_apis_two_conductors_and_three_galera_nodes() -> None:
    kinds = collections.Counter(name.rpartition("-")[0] for name in services())
    assert kinds == {"api": 2, "conductor": 2, "galera": 3, "": 1}
    nodes = [name for name in services() if name.startswith("galera")]
    assert f"gcomm://{','.join(nodes)}" in (FOLDER / "galera.cnf").read_text()


@pytest.mark.parametrize("name", ["schema", "api-1", "api-2", "conductor-1", "conductor-2"])
def test_command_and_variables_of_a_service_are_valid(name: str) -> None:
    service = dibs_services()[name]
    settings = settings_of(service["command"], service["environment"])
    assert settings.database.startswith("mariadb://dibs:change-me-dibs@galera-")


def test_services_share_a_secret_and_each_conductor_has_its_own_name_and_address() -> None:
    secrets = {
        service["environment"]["DIBS_RPC_SECRET"] for name, service in dibs_services().items() if name != "schema"
    }
    assert len(secrets) == 1
    conductors = {name: service for name, service in dibs_services().items() if name.startswith("conductor")}
    for name, service in conductors.items():
        assert service["hostname"] == service["environment"]["DIBS_CONDUCTOR_NAME"] == name


def test_no_process_starts_before_the_schema_exists() -> None:
    dependent = [service for name, service in dibs_services().items() if name != "schema"]
    assert all("service_completed_successfully" in str(service["depends_on"]["schema"]) for service in dependent)
    assert dibs_services()["schema"]["command"] == ["db", "upgrade"]


def test_every_mounted_file_exists_unless_the_operator_creates_it() -> None:
    mounts = {mount.split(":")[0] for service in services().values() for mount in service.get("volumes", [])}
    files = {mount for mount in mounts if mount.startswith("./")} - {"./etc"}
    assert files == {"./galera.cnf", "./galera-node.sh"}
    assert all((FOLDER / name).is_file() for name in files)
    assert (FOLDER / "galera-node.sh").stat().st_mode & 0o111


def test_galera_node_script_is_valid_shell() -> None:
    assert subprocess.run(["sh", "-n", FOLDER / "galera-node.sh"], capture_output=True, timeout=10).returncode == 0
