"""A throw-away Galera cluster: three MariaDB nodes that replicate to each other on the loopback interface."""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pymysql

from tests.bed.addresses import MariadbAddress
from tests.bed.mariadb import MariadbServer
from tests.bed.processes import as_user, free_port, start_process, tail_of
from tests.bed.waiting import eventually

NODES = 3
EVICTION_SECONDS = 4
"""The others exclude a silent node after this time at the latest; Galera's default is 15 s."""
READY_SECONDS = 120
"""A node is synchronized within this time after it starts, or after it is found again."""
PROVIDER = "/usr/lib/galera/libgalera_smm.so"
DETECTION = (
    "evs.keepalive_period=PT0.5S;evs.inactive_check_period=PT0.5S;evs.join_retrans_period=PT0.5S;"
    f"evs.suspect_timeout=PT2S;evs.inactive_timeout=PT{EVICTION_SECONDS}S;evs.install_timeout=PT{EVICTION_SECONDS}S"
)
_RECOVERED = re.compile(r"Recovered position: *(\S+:-?\d+)")
_SAVED = re.compile(r"seqno: *(-?\d+)")
CRASHED = -1


class GaleraNode(MariadbServer):
    """One node, which keeps every commit when it is killed. ``start`` waits until it is synchronized."""

    def __init__(self, group_ports: Sequence[int], number: int, template: Path | None = None) -> None:
        self.group_ports = group_ports
        self.number = number
        self.template = template
        self.founds_cluster = template is None
        self.ports = {"incremental": free_port(), "whole": free_port()}
        super().__init__()

    def make_data(self) -> None:
        """Create the data of the first node; copy it for the others, which then need no state transfer."""
        self.configuration.write_text(self._settings())
        if self.template is None:
            super().make_data()
            return
        shutil.copytree(self.template, self.data)
        (self.data / "galera.cache").unlink()
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", self.user, str(self.data)], check=True)

    @property
    def configuration(self) -> Path:
        """The file that the scripts for state transfers read as well."""
        return self.folder / "my.cnf"

    @property
    def state(self) -> Path:
        """The file with the position of a node that was stopped, and with -1 after a crash."""
        return self.data / "grastate.dat"

    def serve_command(self) -> list[str]:
        program, _, *options = super().serve_command()
        durable = ("--innodb-flush-log-at-trx-commit=1", "--innodb-flush-method=fsync", "--innodb-doublewrite=ON")
        # Users are replicated: only the first node creates one.
        options = [option for option in options if not option.startswith("--init-file")]
        return [program, f"--defaults-file={self.configuration}", *options, *durable]

    @property
    def is_running(self) -> bool:
        """Return whether the process runs, frozen or not."""
        return self.process is not None and self.process.poll() is None

    def start(self) -> None:
        """Start the node, unless it runs, as systemd does: at the position that it recovers after a crash."""
        if self.is_running:
            return
        command = self.serve_command()
        if position := self.recovered_position():
            command.append(f"--wsrep-start-position={position}")
        if self.founds_cluster:
            if self.state.exists():
                self.state.write_text(self.state.read_text().replace("safe_to_bootstrap: 0", "safe_to_bootstrap: 1"))
            command.append("--wsrep-new-cluster")
            if self.template is None:
                command.append(f"--init-file={self.folder / 'init.sql'}")
            self.founds_cluster = False
        self.process = start_process(as_user(self.user, command), self.log, self.environment())
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        """Wait until the node is synchronized; raise RuntimeError with the end of its log if it is not in time."""
        try:
            eventually(self.is_ready, READY_SECONDS, f"Galera node {self.number}")
        except AssertionError as error:
            raise RuntimeError(f"{error}; the end of its log:\n{tail_of(self.log)}") from error

    def recovered_position(self) -> str | None:
        """Return the position of the last commit in the data of a node that crashed; None after an orderly stop."""
        if self._stopped_at() != CRASHED:
            return None
        command = as_user(self.user, [*self.serve_command(), "--wsrep-recover"])
        done = subprocess.run(command, env=self.environment(), capture_output=True, text=True)
        found = _RECOVERED.findall(done.stdout + done.stderr)
        if not found:
            raise RuntimeError(f"Galera node {self.number} has no position:\n{done.stderr}")
        return str(found[-1])

    def position(self) -> int:
        """Return the number of the last commit in the data of a node that does not run."""
        recovered = self.recovered_position()
        return self._stopped_at() if recovered is None else int(recovered.rpartition(":")[2])

    def _stopped_at(self) -> int:
        """Return the position that an orderly stop wrote, 0 for new data."""
        found = _SAVED.search(self.state.read_text()) if self.state.exists() else None
        return int(found[1]) if found else 0

    def is_ready(self) -> bool:
        """Return whether the node is synchronized and accepts writes."""
        if not self.is_running:
            raise RuntimeError(f"Galera node {self.number} has ended; the end of its log:\n{tail_of(self.log)}")
        return self.status("wsrep_ready") == "ON" and self.status("wsrep_local_state_comment") == "Synced"

    def status(self, name: str) -> str:
        """Return a status variable."""
        address = MariadbAddress(self.address.port)
        try:
            with address.connect(None, read_timeout=3) as connection, connection.cursor() as cursor:
                cursor.execute(f"SHOW GLOBAL STATUS LIKE '{name}'")
                return str((cursor.fetchone() or ("", ""))[1])
        except pymysql.err.MySQLError as error:
            raise ConnectionError(str(error)) from error

    def isolate(self) -> None:
        """Cut the node off from the others: it loses its quorum and refuses statements, but accepts connections."""
        self.address.execute("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=1'")

    def rejoin(self) -> None:
        """End the isolation."""
        self.address.execute("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=0'")

    def _settings(self) -> str:
        group = ",".join(f"127.0.0.1:{port}" for port in self.group_ports)
        own = self.group_ports[self.number]
        incremental, whole = self.ports.values()
        provider = (
            f"gmcast.listen_addr=tcp://127.0.0.1:{own};base_host=127.0.0.1;base_port={own};"
            f"ist.recv_addr=127.0.0.1:{incremental};ist.recv_bind=127.0.0.1:{incremental};gcache.size=64M;{DETECTION}"
        )
        return f"""[mariadbd]
binlog_format=ROW
default_storage_engine=InnoDB
innodb_autoinc_lock_mode=2
wsrep_on=ON
wsrep_provider={PROVIDER}
wsrep_cluster_name=dibs
wsrep_cluster_address=gcomm://{group}
wsrep_node_name=node-{self.number}
wsrep_node_address=127.0.0.1
wsrep_node_incoming_address=127.0.0.1:{self.address.port}
wsrep_sst_method=rsync
wsrep_sst_receive_address=127.0.0.1:{whole}
wsrep_slave_threads=4
wsrep_sync_wait=1
wsrep_provider_options="{provider}"
[sst]
rsync-bind-address=127.0.0.1
"""


class GaleraCluster:
    """Three nodes, all of which accept writes."""

    def __init__(self) -> None:
        ports = [free_port() for _ in range(NODES)]
        self.nodes = [GaleraNode(ports, 0)]
        try:
            first = self.nodes[0]
            first.stop()
            template = first.folder / "template"
            shutil.copytree(first.data, template)
            first.founds_cluster = True
            first.start()
            with ThreadPoolExecutor() as pool:
                self.nodes += pool.map(lambda number: GaleraNode(ports, number, template), range(1, NODES))
        except BaseException:
            self.remove()
            raise

    def url(self, database: str, first: int = 0) -> str:
        """Return the URL of a database with all nodes as hosts, from a chosen one on."""
        nodes = [*self.nodes[first:], *self.nodes[:first]]
        hosts = ",".join(f"127.0.0.1:{node.address.port}" for node in nodes)
        return f"mariadb://dibs@{hosts}/{database}"

    def execute(self, *statements: str) -> None:
        """Run statements on one node."""
        self.nodes[0].address.execute(*statements)

    def kill(self) -> None:
        """Kill every node."""
        for node in self.nodes:
            node.kill()

    def start(self) -> None:
        """Start every node that does not run. When none does, the most advanced one founds the cluster again.

        Galera leaves that to its operator: a node that founds a cluster with an older state would lose commits.
        """
        if not any(node.is_running for node in self.nodes):
            leader = max(self.nodes, key=lambda node: node.position())
            leader.founds_cluster = True
            leader.start()
        with ThreadPoolExecutor() as pool:
            list(pool.map(GaleraNode.start, self.nodes))

    def remove(self) -> None:
        """Stop every node and delete everything."""
        for node in self.nodes:
            node.remove()
