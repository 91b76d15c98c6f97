"""What a user of the OpenStack clients has: the printed clouds.yaml, a connection, and the commands."""

import functools
import json
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

from tests.bed import fast_commands
from tests.bed.dibs_server import DibsServer
from tests.bed.forked import run_dibs
from tests.bed.processes import bare_environment
from tests.bed.waiting import eventually

BIN = Path(sys.executable).parent


def write_clouds_yaml(folder: Path, server: DibsServer, *flags: str, **user: str) -> Path:
    """Write the clouds.yaml that Dibs prints, with user and password filled in; return its path."""
    clouds = yaml.safe_load(_printed_entry("--bind", f"127.0.0.1:{server.port}", *flags))
    clouds["clouds"]["dibs"]["auth"].update(user)
    path = folder / f"clouds-{server.port}-{user.get('username', 'anyone')}.yaml"
    path.write_text(yaml.safe_dump(clouds))
    return path


@functools.cache
def _printed_entry(*flags: str) -> str:
    done = run_dibs("clouds-yaml", *flags)
    done.check_returncode()
    return done.stdout


def connect(clouds_yaml: Path) -> Connection:
    """Connect as a script does; conflicts are raised at once instead of being retried."""
    config = openstack.config.OpenStackConfig(config_files=[str(clouds_yaml)], load_envvars=False)
    region = config.get_one(cloud="dibs", baremetal_status_code_retries=0)
    return Connection(config=region)


def until_provisioned(cloud: Connection, node: Any, state: str, since: str | None = None) -> Any:
    """Poll until the node is in the provision state and unlocked; return it.

    ``since`` is the time of its last change, for verbs that end in the state in which they began.
    """

    def arrived() -> Any:
        seen = cloud.baremetal.get_node(node)
        there = seen.provision_state == state and seen.reservation is None
        return seen if there and (since is None or seen.updated_at != since) else None

    return eventually(arrived, what=f"node in {state}")


def fresh(prefix: str = "node") -> str:
    """Return a name that no other test uses."""
    return f"{prefix}-{uuid.uuid4().hex[:12]}"


def fresh_mac() -> str:
    """Return a MAC address that no other test uses."""
    return "52:" + uuid.uuid4().bytes[:5].hex(":")


def enroll(cloud: Connection, **attributes: Any) -> Any:
    """Create an available node with fake hardware, without cleaning."""
    defaults = {"name": fresh(), "driver": "fake-hardware", "resource_class": "compute"}
    node = cloud.baremetal.create_node(**defaults | {"is_automated_clean_enabled": False} | attributes)
    cloud.baremetal.set_node_provision_state(node, "manage")
    until_provisioned(cloud, node, "manageable")
    cloud.baremetal.set_node_provision_state(node, "provide")
    return until_provisioned(cloud, node, "available")


@dataclass(frozen=True)
class CommandResult:
    """The exit status and the output of a command."""

    status: int
    out: str
    err: str


class Shell:
    """An interactive ``baremetal`` shell: its commands start without the delay of a new process.

    Quirk: the shell splits its lines at blanks, also inside quotes.
    """

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self._errors = folder / "shell.err"
        with self._errors.open("w") as errors:
            self._process = subprocess.Popen(
                [BIN / "baremetal"], env=environment, stdin=PIPE, stdout=DEVNULL, stderr=errors, text=True
            )

    def type(self, line: str) -> None:
        """Send a command without waiting; its effect can be seen on the server."""
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def close(self) -> str:
        """End the shell and return its error output."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)
        return self._errors.read_text()


@dataclass(frozen=True)
class Commands:
    """The OpenStack commands, each run in its own process."""

    clouds_yaml: Path
    variables: Mapping[str, str] = field(default_factory=dict)
    """Additional environment variables."""

    def run(self, *words: str, stdin: str = "", program: str = "baremetal") -> CommandResult:
        """Run one command."""
        done = subprocess.run(
            [fast_commands.folder() / program, *words],
            env=self._environment(),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return CommandResult(done.returncode, done.stdout, done.stderr)

    def batch(self, *lines: str) -> CommandResult:
        """Run several commands in one ``baremetal`` shell; the exit status is that of the shell."""
        return self.run(stdin="\n".join(lines) + "\n")

    def shell(self) -> Shell:
        """Start an interactive shell."""
        return Shell(self._environment(), self.clouds_yaml.parent)

    def _environment(self) -> dict[str, str]:
        config = {"OS_CLIENT_CONFIG_FILE": str(self.clouds_yaml), "OS_CLOUD": "dibs", "COLUMNS": "400"}
        return {**bare_environment(), **config, **self.variables}


def documents(text: str) -> list[Any]:
    """Return the JSON documents in the output of a shell, without any other text."""
    decoder, found, position = json.JSONDecoder(), [], 0
    while (position := min((at for at in (text.find(c, position) for c in "[{") if at >= 0), default=-1)) >= 0:
        document, position = decoder.raw_decode(text, position)
        found.append(document)
    return found
