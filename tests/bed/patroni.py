"""A throw-away PostgreSQL cluster: three members under Patroni, which keeps its state in etcd."""

import contextlib
import functools
import importlib.util
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import yaml

from tests.bed.addresses import PostgresqlAddress
from tests.bed.postgresql import binaries
from tests.bed.processes import (
    as_user,
    children_of,
    free_port,
    make_folder,
    start_process,
    stop_process,
    tail_of,
    user_for_servers,
)
from tests.bed.proxy import Proxy
from tests.bed.waiting import eventually

MEMBERS = 3
TTL_SECONDS = 20
"""A leader that etcd does not hear of for this long is replaced; Patroni accepts no shorter time."""
FAILOVER_SECONDS = 3 * TTL_SECONDS
START_SECONDS = 120
TIMING = {"ttl": TTL_SECONDS, "loop_wait": 1, "retry_timeout": 3}
PARAMETERS = {
    "max_connections": 150,
    "max_wal_senders": 8,
    "shared_buffers": "64MB",
    "synchronous_commit": "on",
    "wal_keep_size": "128MB",
    "wal_log_hints": "on",
}


@functools.cache
def python_for(user: str) -> str:
    """Return a Python of this version that the user may execute: the one of a root's home is not for others."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for program in (sys.executable, f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        # env executes the program as the user; setpriv would do it with the rights of root.
        if subprocess.run(as_user(user, ["env", program, "-c", ""]), capture_output=True).returncode == 0:
            return program
    raise RuntimeError(f"{user} may not execute {sys.executable}, and {version} is not installed")


def packages_of(module: str) -> str:
    """Return the folder in which a module is installed."""
    found = importlib.util.find_spec(module)
    if found is None or found.origin is None:
        raise RuntimeError(f"{module} is not installed: `make faults` installs it")
    return str(Path(found.origin).parents[1])


class PatroniMember:
    """One member: a Patroni, and the PostgreSQL that it runs."""

    def __init__(self, number: int, folder: Path, user: str, etcd_port: int) -> None:
        self.number = number
        self.name = f"member-{number}"
        self.user = user
        self.address = PostgresqlAddress(port=free_port())
        self.rest_url = f"http://127.0.0.1:{free_port()}"
        self.etcd = Proxy(etcd_port)
        """What this member sees of etcd goes through this proxy."""
        self.data = folder / self.name
        self.log = folder / f"{self.name}.log"
        self.configuration = folder / f"{self.name}.yml"
        self.configuration.write_text(yaml.safe_dump(self._settings(folder)))
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start Patroni, unless it runs; it starts PostgreSQL."""
        if self.process is None or self.process.poll() is not None:
            command = [python_for(self.user), "-m", "patroni", str(self.configuration)]
            environment = {
                "PATH": os.environ["PATH"],
                "HOME": str(self.data.parent),
                "LC_ALL": "C.UTF-8",
                "PYTHONPATH": packages_of("patroni"),
            }
            self.process = start_process(as_user(self.user, command), self.log, environment)

    def kill(self) -> None:
        """Kill Patroni and PostgreSQL, as the loss of a machine does."""
        self._signal_all(signal.SIGKILL)
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def freeze(self) -> None:
        """Make Patroni and PostgreSQL hang."""
        self._signal_all(signal.SIGSTOP)

    def thaw(self) -> None:
        """Resume a frozen member."""
        self._signal_all(signal.SIGCONT)

    def state(self) -> dict[str, Any]:
        """Return what Patroni says about this member; nothing while it does not answer."""
        try:
            with urllib.request.urlopen(f"{self.rest_url}/patroni", timeout=2) as answer:
                return dict(json.load(answer))
        except urllib.error.HTTPError as error:
            return dict(json.load(error))
        except (OSError, ValueError):
            return {}

    @property
    def is_leader(self) -> bool:
        """Return whether this member accepts writes."""
        state = self.state()
        return state.get("role") in ("primary", "master") and state.get("state") == "running"

    def _signal_all(self, number: int) -> None:
        """Send a signal to Patroni, to PostgreSQL and to every process of PostgreSQL."""
        with contextlib.suppress(OSError, ValueError, IndexError):
            postmaster = int((self.data / "postmaster.pid").read_text().split()[0])
            for pid in (postmaster, *children_of(postmaster)):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)

    def _settings(self, folder: Path) -> dict[str, Any]:
        rest, address = self.rest_url.removeprefix("http://"), f"127.0.0.1:{self.address.port}"
        everyone = ["local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"]
        return {
            "scope": "dibs",
            "name": self.name,
            "restapi": {"listen": rest, "connect_address": rest},
            "etcd3": {"hosts": f"127.0.0.1:{self.etcd.port}", "use_proxies": True},
            "bootstrap": {
                "dcs": {
                    **TIMING,
                    "synchronous_mode": True,
                    "postgresql": {"use_pg_rewind": True, "parameters": PARAMETERS, "pg_hba": everyone},
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}],
            },
            "postgresql": {
                "listen": address,
                "connect_address": address,
                "data_dir": str(self.data),
                "bin_dir": str(binaries()),
                "pgpass": str(folder / f"pgpass-{self.number}"),
                "authentication": {
                    "superuser": {"username": "postgres"},
                    "replication": {"username": "replicator"},
                    "rewind": {"username": "rewinder"},
                },
                "parameters": {"unix_socket_directories": str(folder)},
            },
        }


class PatroniCluster:
    """Three members, one of which is the leader; a commit waits for one of the others."""

    def __init__(self) -> None:
        self.user = user_for_servers("postgres")
        self.folder = make_folder()
        if os.geteuid() == 0:
            os.chown(self.folder, pwd.getpwnam(self.user).pw_uid, -1)
        self.members: list[PatroniMember] = []
        self.etcd_port = free_port()
        self.etcd = self._start_etcd()
        try:
            self.members += [PatroniMember(n, self.folder, self.user, self.etcd_port) for n in range(MEMBERS)]
            for member in self.members:
                member.start()
            self.wait_until_healthy()
            with self._administrator() as connection:
                connection.execute("CREATE ROLE dibs SUPERUSER LOGIN")
        except BaseException:
            self.remove()
            raise

    def leader(self) -> PatroniMember:
        """Return the member that accepts writes; raise OSError while there is none."""
        for member in self.members:
            if member.is_leader:
                return member
        raise OSError("no member is the leader")

    def wait_for_another_leader(self, than: PatroniMember) -> None:
        """Wait until another member was promoted, but not for ever.

        Patroni promotes none while there is no synchronous standby, and waits for the old leader.
        """
        others = [member for member in self.members if member is not than]
        with contextlib.suppress(AssertionError):
            eventually(lambda: any(member.is_leader for member in others), FAILOVER_SECONDS, "another leader")

    def switch_over(self) -> None:
        """Ask Patroni for another leader, as an operator does before maintenance."""
        leader = self.leader()
        body = json.dumps({"leader": leader.name}).encode()
        urllib.request.urlopen(urllib.request.Request(f"{leader.rest_url}/switchover", body), timeout=60).close()

    def wait_until_healthy(self) -> None:
        """Wait for a leader, for two members that follow it, and for one of them that commits wait for."""
        try:
            eventually(self._is_healthy, START_SECONDS, "a healthy Patroni cluster")
        except AssertionError as error:
            logs = "\n".join(tail_of(member.log, 10) for member in self.members)
            raise RuntimeError(f"{error}; the ends of the logs:\n{logs}") from error

    def url(self, database: str, first: int = 0) -> str:
        """Return the URL of a database with all members as hosts, from a chosen one on."""
        members = [*self.members[first:], *self.members[:first]]
        hosts = ",".join(f"127.0.0.1:{member.address.port}" for member in members)
        return f"postgresql://dibs@{hosts}/{database}"

    def remove(self) -> None:
        """Stop everything and delete everything."""
        for member in self.members:
            member.kill()
            member.etcd.close()
        stop_process(self.etcd)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _is_healthy(self) -> bool:
        states = [member.state() for member in self.members]
        following = [state for state in states if state.get("replication_state") == "streaming"]
        return (
            self.leader() is not None
            and len(following) == MEMBERS - 1
            and any(state.get("sync_standby") for state in following)
        )

    def _administrator(self) -> Any:
        import psycopg

        port = self.leader().address.port
        return psycopg.connect(f"postgresql://postgres@127.0.0.1:{port}/postgres", autocommit=True)

    def _start_etcd(self) -> subprocess.Popen[bytes]:
        program = shutil.which("etcd")
        if program is None:
            raise RuntimeError("etcd is not installed: `tools/debian_packages.sh patroni` installs it")
        client, peer = f"http://127.0.0.1:{self.etcd_port}", f"http://127.0.0.1:{free_port()}"
        command = [
            program,
            "--name=etcd",
            f"--data-dir={self.folder / 'etcd'}",
            f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=etcd={peer}",
            "--unsafe-no-fsync",
        ]
        return start_process(as_user(self.user, command), self.folder / "etcd.log", {"PATH": os.environ["PATH"]})
