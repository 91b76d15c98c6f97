"""A real Nova on loopback, with a Dibs as its Placement."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import httpx
import yaml
from openstack.compute.v2._proxy import Proxy
from openstack.config import OpenStackConfig
from openstack.connection import Connection

from tests.bed.processes import free_port, start_process, stop_process, tail_of
from tests.bed.waiting import eventually
from tests.clients.clouds import bare_environment

CLOUD = "nova"
HOST = "only"
"""The host of its one compute service, and the name of its hypervisor."""

_NOWHERE = "http://127.0.0.1:1"

_CONFIGURATION = """\
[DEFAULT]
transport_url = fake://
state_path = {folder}
my_ip = 127.0.0.1
host = {host}
compute_driver = fake.FakeDriver
[api_database]
connection = {databases[0]}
[database]
connection = {databases[1]}
[oslo_concurrency]
lock_path = {folder}
[placement]
auth_type = none
endpoint_override = {placement}
[neutron]
auth_type = none
endpoint_override = {url}/network
[keystone]
auth_type = none
endpoint_override = {nowhere}
[glance]
endpoint_override = {nowhere}
"""


class RealNova:
    """A running Nova with three databases: its own, one for servers, and one for servers that never found a host."""

    def __init__(self, folder: Path, placement: str, databases: Sequence[str]) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.folder = folder
        self.log = folder / "nova.log"
        self.process: subprocess.Popen[bytes] | None = None
        pipelines = Path(sys.prefix, "etc/nova/api-paste.ini").read_text()
        # Without keystonemiddleware: nova_process.py sets the headers of the caller.
        (folder / "api-paste.ini").write_text(pipelines.replace(" authtoken keystonecontext", " keystonecontext"))
        own = {"folder": folder, "host": HOST, "url": self.url, "nowhere": _NOWHERE}
        (folder / "nova.conf").write_text(_CONFIGURATION.format(placement=placement, databases=databases, **own))
        self._cell0 = databases[2]

    def start(self) -> None:
        """Create the databases, then start the services and wait for the API."""
        program = str(Path(__file__).with_name("nova_process.py"))
        command = [sys.executable, program, str(self.folder), str(self.port), self._cell0]
        self.process = start_process(command, self.log, bare_environment())
        eventually(self._answers, 180, "Nova")

    def stop(self) -> None:
        """Stop the process."""
        if self.process is not None:
            stop_process(self.process, seconds=1)

    def write_clouds_yaml(self, path: Path, port: int | None = None, token: str = "admin:admin") -> Path:
        """Write a clouds.yaml for this Nova, or for another port that leads to it."""
        url = f"http://127.0.0.1:{port or self.port}/v2.1"
        entry = {
            "auth_type": "admin_token",
            "auth": {"endpoint": url, "token": token},
            "compute_endpoint_override": url,
        }
        path.write_text(yaml.safe_dump({"clouds": {CLOUD: entry}}))
        return path

    def connect(self, project: str = "admin", user: str = "admin") -> Proxy:
        """Return a connection of the SDK."""
        path = self.write_clouds_yaml(self.folder / f"clouds-{user}-{project}.yaml", token=f"{user}:{project}")
        region = OpenStackConfig(config_files=[str(path)], load_envvars=False).get_one(cloud=CLOUD)
        return Connection(config=region).compute

    def launch(self, flavor: str, project: str = "admin", user: str = "admin") -> str:
        """Launch a server without image and network; return its id."""
        root = {"source_type": "blank", "destination_type": "local", "boot_index": 0}
        server = {"name": "s", "flavorRef": flavor, "networks": "none", "block_device_mapping_v2": [root]}
        answer = self.connect(project, user).post("/servers", json={"server": server}, microversion="2.93")
        assert answer.status_code == 202, answer.text
        return str(answer.json()["server"]["id"])

    def servers(self, **filters: str) -> set[str]:
        """Return the ids of the servers of all projects that match the filters."""
        return {each.id for each in self.connect().servers(details=False, all_projects=True, **filters)}

    def flavors(self) -> set[str]:
        """Return the ids of all flavors."""
        return {each.id for each in self.connect().flavors(is_public="None")}

    def projects_of(self, flavor: str) -> set[str]:
        """Return the projects that have access to a private flavor."""
        return {each["tenant_id"] for each in self.connect().get_flavor_access(flavor)}

    def _answers(self) -> bool:
        assert self.process is not None
        if self.process.poll() is not None:
            raise RuntimeError(tail_of(self.log))
        try:
            return httpx.get(self.url).status_code in (200, 300)
        except httpx.HTTPError:
            return False
