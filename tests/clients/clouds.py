"""What a user of the stock clients has: a clouds.yaml as Dibs prints it, a connection, and the commands."""

import functools
import os
import subprocess
import sys
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Any

import openstack
import yaml
from openstack.connection import Connection

from tests.bed.dibs_server import DIBS, DibsServer
from tests.bed.waiting import eventually

BIN = Path(sys.executable).parent


def write_clouds_yaml(folder: Path, server: DibsServer, *flags: str, **user: str) -> Path:
    """Take the entry that Dibs prints, fill in user and password as its reader does, and save it."""
    clouds = yaml.safe_load(_printed_entry("--bind", f"127.0.0.1:{server.port}", *flags))
    clouds["clouds"]["dibs"]["auth"].update(user)
    path = folder / f"clouds-{server.port}-{user.get('username', 'anyone')}.yaml"
    path.write_text(yaml.safe_dump(clouds))
    return path


@functools.cache
def _printed_entry(*flags: str) -> bytes:
    command = [DIBS, "clouds-yaml", *flags]
    return subprocess.run(command, env=bare_environment(), capture_output=True, check=True).stdout


def bare_environment() -> dict[str, str]:
    """This process's environment without anything that a client or Dibs would take as a setting."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("OS_", "DIBS_"))}


def connect(clouds_yaml: Path) -> Connection:
    """Connect as a script would; a conflict is told at once instead of after retries."""
    config = openstack.config.OpenStackConfig(config_files=[str(clouds_yaml)], load_envvars=False)
    region = config.get_one(cloud="dibs", baremetal_status_code_retries=0)
    return Connection(config=region)


def until_provisioned(cloud: Connection, node: Any, state: str, since: str | None = None) -> Any:
    """Look until the node is in the provision state and nobody works on it; give it back.

    ``since`` is the time of its last move, for verbs that end in the state where they began.
    """

    def arrived() -> Any:
        seen = cloud.baremetal.get_node(node)
        there = seen.provision_state == state and seen.reservation is None
        return seen if there and (since is None or seen.updated_at != since) else None

    return eventually(arrived, what=f"node in {state}")


def enrol(cloud: Connection, **attributes: Any) -> Any:
    """Make a node of fake hardware available, as quickly as that goes: without cleaning."""
    made = {"name": f"node-{uuid.uuid4().hex[:12]}", "driver": "fake-hardware", "resource_class": "compute"}
    node = cloud.baremetal.create_node(**made | {"is_automated_clean_enabled": False} | attributes)
    cloud.baremetal.set_node_provision_state(node, "manage")
    until_provisioned(cloud, node, "manageable")
    cloud.baremetal.set_node_provision_state(node, "provide")
    return until_provisioned(cloud, node, "available")


@dataclass(frozen=True)
class Told:
    """What a command printed."""

    status: int
    out: str
    err: str


class Shell:
    """A ``baremetal`` shell into which commands are typed one by one, so that only the first takes a second to start.

    It splits its lines at blanks whatever the quotes.
    """

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self._errors = folder / "shell.err"
        with self._errors.open("w") as errors:
            self._process = subprocess.Popen(
                [BIN / "baremetal"], env=environment, stdin=PIPE, stdout=DEVNULL, stderr=errors, text=True
            )

    def type(self, line: str) -> None:
        """Type a command; whoever wants to know when it is done looks at the server."""
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def close(self) -> str:
        """End the shell and give all its complaints."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)
        return self._errors.read_text()


@dataclass(frozen=True)
class Commands:
    """The stock commands, each run in a process of its own."""

    clouds_yaml: Path
    variables: Mapping[str, str] = field(default_factory=dict)
    """What else the user has in the environment."""

    def run(self, *words: str, stdin: str = "", program: str = "baremetal") -> Told:
        """Run one command, as typed in a shell."""
        done = subprocess.run(
            [BIN / program, *words], env=self._environment(), input=stdin, capture_output=True, text=True, timeout=60
        )
        return Told(done.returncode, done.stdout, done.stderr)

    def batch(self, *lines: str) -> Told:
        """Type several commands into one ``baremetal`` shell at once; its exit status says nothing."""
        return self.run(stdin="\n".join(lines) + "\n")

    def shell(self) -> Shell:
        """Start a shell to type into."""
        return Shell(self._environment(), self.clouds_yaml.parent)

    def _environment(self) -> dict[str, str]:
        config = {"OS_CLIENT_CONFIG_FILE": str(self.clouds_yaml), "OS_CLOUD": "dibs", "COLUMNS": "400"}
        return {**bare_environment(), **config, **self.variables}
