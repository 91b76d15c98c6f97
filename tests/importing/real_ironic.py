"""A real Ironic on loopback: API and conductor in one process, fake hardware, SQLite, no authentication."""

import subprocess
import sys
from pathlib import Path

import httpx

from tests.bed.processes import bare_environment, start_process, stop_process, tail_of
from tests.bed.waiting import eventually

BIN = Path(sys.executable).parent

_CONFIGURATION = """\
[DEFAULT]
auth_strategy = noauth
rpc_transport = none
host = source
my_ip = 127.0.0.1
enabled_hardware_types = fake-hardware,manual-management
enabled_bios_interfaces = no-bios
enabled_boot_interfaces = fake,pxe
enabled_console_interfaces = no-console
enabled_deploy_interfaces = fake,direct
enabled_firmware_interfaces = no-firmware
enabled_inspect_interfaces = no-inspect
enabled_management_interfaces = fake,noop
enabled_network_interfaces = noop
enabled_power_interfaces = fake
enabled_raid_interfaces = no-raid
enabled_rescue_interfaces = no-rescue
enabled_storage_interfaces = noop
enabled_vendor_interfaces = no-vendor
[api]
host_ip = 127.0.0.1
port = {port}
api_workers = 1
[conductor]
automated_clean = {automated_clean}
[database]
connection = {database}
[oslo_concurrency]
lock_path = {folder}
[service_catalog]
auth_type = none
[pxe]
tftp_root = {folder}/tftp
tftp_master_path = {folder}/tftp-master
images_path = {folder}/images
instance_master_path = {folder}/images-master
[deploy]
http_root = {folder}/http
"""


def configuration(folder: Path, port: int, database: str, *, automated_clean: bool = False) -> str:
    """Return the settings of a server with all of its files in one folder."""
    return _CONFIGURATION.format(folder=folder, port=port, database=database, automated_clean=automated_clean)


class RealIronic:
    """A running server."""

    def __init__(self, folder: Path, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.folder = folder
        self.log = folder / "ironic.log"
        self.configuration = folder / "ironic.conf"
        self.configuration.write_text(configuration(folder, port, f"sqlite:///{folder}/ironic.sqlite"))
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Create the database, then start the server."""
        command = [str(BIN / "ironic-dbsync"), "--config-file", str(self.configuration), "create_schema"]
        subprocess.run(command, env=bare_environment(), capture_output=True, check=True)
        command = [str(BIN / "ironic"), "--config-file", str(self.configuration)]
        self.process = start_process(command, self.log, bare_environment())
        eventually(self._has_drivers, 90, "Ironic")

    def stop(self) -> None:
        """Stop the server."""
        if self.process is not None:
            stop_process(self.process)

    def _has_drivers(self) -> bool:
        assert self.process is not None
        if self.process.poll() is not None:
            raise RuntimeError(tail_of(self.log))
        try:
            return len(httpx.get(f"{self.url}/v1/drivers").json()["drivers"]) == 2
        except httpx.HTTPError:
            return False
