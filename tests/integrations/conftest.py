"""A Dibs and a real Nova: Nova has the flavors and servers of leases, Dibs has their claims."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from dibs.integrations import Nova
from tests.bed.dibs_server import DibsServer
from tests.bed.session import Bed
from tests.bed.waiting import eventually
from tests.integrations.gate import Gate
from tests.integrations.real_nova import CLOUD, HOST, RealNova

PROJECT = "p"
LATER = "2092-05-01 12:00"


@dataclass
class Cloud:
    """A Dibs, a Nova, and the proxy through which Dibs calls Nova."""

    dibs: DibsServer
    nova: RealNova
    gate: Gate
    clouds_yaml: Path

    @property
    def compute(self) -> Nova:
        """The client with which Dibs calls Nova."""
        return Nova(CLOUD, clouds_file=str(self.clouds_yaml))

    def ask(self, method: str, path: str, body: Any = None) -> httpx.Response:
        """Send a request to the reservation API as an admin of a project."""
        headers = {"X-Project-Id": PROJECT, "X-Roles": "admin,member,reader"}
        return httpx.request(method, f"{self.dibs.url}/reservation/v1/{path}", json=body, headers=headers, timeout=60)

    def make_lease(self, *reservations: dict[str, Any], end: str = LATER) -> dict[str, Any]:
        """Create a lease that begins now."""
        body = {"name": "l", "start_date": "now", "end_date": end, "reservations": list(reservations)}
        answer = self.ask("POST", "leases", body)
        assert answer.status_code == 201, answer.text
        lease: dict[str, Any] = answer.json()["lease"]
        return lease

    def status(self, lease: dict[str, Any]) -> str:
        """Return the state of a lease; GONE when it does not exist."""
        answer = self.ask("GET", f"leases/{lease['id']}")
        return str(answer.json()["lease"]["status"]) if answer.status_code == 200 else "GONE"

    def until(self, lease: dict[str, Any], status: str) -> None:
        """Wait until a lease is in a state."""
        eventually(lambda: self.status(lease) == status, 60, f"a lease in {status}")

    def end(self, lease: dict[str, Any]) -> None:
        """Delete a lease and wait until it is gone."""
        assert self.ask("DELETE", f"leases/{lease['id']}").status_code == 204
        self.until(lease, "GONE")


def instances(**values: Any) -> dict[str, Any]:
    """A reservation of instances."""
    asked = {"vcpus": 1, "memory_mb": 64, "disk_gb": 0, "amount": 2, "affinity": None, "resource_properties": ""}
    return {"resource_type": "virtual:instance", **asked, **values}


def hosts() -> dict[str, Any]:
    """A reservation of one whole host."""
    asked = {"min": 1, "max": 1, "hypervisor_properties": "", "resource_properties": ""}
    return {"resource_type": "physical:host", **asked}


@pytest.fixture(scope="session")
def cloud(bed: Bed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """A Dibs and a Nova, started once; the compute host of Nova is registered for leases.

    Nova's databases are in MariaDB on every engine of Dibs, because its threads block each other on SQLite.
    """
    folder = tmp_path_factory.mktemp("cloud")
    clouds_yaml = folder / "clouds.yaml"
    flags = ("--compute-backend", "nova", "--nova-cloud", CLOUD, "--nova-clouds-file", str(clouds_yaml))
    dibs = DibsServer(f"sqlite:///{folder}/dibs.sqlite", folder, *flags)
    databases = [bed.databases("mariadb").blank().replace("mariadb:", "mysql+pymysql:", 1) for _ in range(3)]
    nova = RealNova(folder, f"{dibs.url}/placement", databases)
    gate = Gate(nova.port)
    nova.write_clouds_yaml(clouds_yaml, gate.port)
    try:
        dibs.start()
        nova.start()
        made = Cloud(dibs, nova, gate, clouds_yaml)
        eventually(lambda: made.ask("POST", "os-hosts", {"name": HOST}).status_code == 201, 60, "the compute host")
        yield made
    finally:
        gate.remove()
        nova.stop()
        dibs.stop()
