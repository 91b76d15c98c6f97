"""The real ``dibs`` and ``openstack`` programs: signals, completion, and the plug-in."""

import json
import os
import shlex
import signal
import subprocess
from pathlib import Path
from subprocess import PIPE

import pytest

from dibs.client import Allocation, Dibs
from tests.bed.session import Bed
from tests.bed.waiting import eventually
from tests.clients.clouds import BIN, Commands, bare_environment, documents, enroll, fresh, write_clouds_yaml


@pytest.fixture
def url(bed: Bed) -> str:
    """Return the URL of a server; one engine is enough, because the commands cannot tell engines apart."""
    return bed.shared_server("sqlite").url


@pytest.fixture
def dibs(url: str) -> Dibs:
    return Dibs.connect(url)


def start(url: str, *words: str) -> "subprocess.Popen[str]":
    """Start ``dibs allocation create`` and leave it running."""
    environment = {**bare_environment(), "DIBS_URL": url}
    command = [BIN / "dibs", "allocation", "create", *words]
    return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=PIPE, stderr=PIPE, text=True)


def allocations_of(dibs: Dibs, kind: str, count: int = 1) -> list[Allocation]:
    """Wait until a class has this number of allocations; return them."""

    def look() -> list[Allocation] | None:
        found = list(dibs.allocations.list(resource_class=kind))
        return found if len(found) == count else None

    return eventually(look, 30, "the allocations")


@pytest.mark.parametrize(("number", "bulk"), [(signal.SIGINT, 1), (signal.SIGTERM, 1), (signal.SIGINT, 2)])
def test_an_interrupted_wait_deletes_the_queued_allocations(
    url: str, dibs: Dibs, number: signal.Signals, bulk: int
) -> None:
    kind = fresh("class")
    others = []
    for _ in range(bulk):
        enroll(dibs.connection, resource_class=kind)
        others += dibs.allocations.wait([dibs.allocations.create(kind)])
    waiting = start(url, "--resource-class", kind, "--bulk", str(bulk), "--wait")
    found = allocations_of(dibs, kind, 2 * bulk)
    assert [each.state for each in found] == ["active"] * bulk + ["allocating"] * bulk
    waiting.send_signal(number)
    out, err = waiting.communicate(timeout=30)
    assert (waiting.returncode, out) == (130, "")
    assert err.endswith("Interrupted.\n")
    assert [each.id for each in dibs.allocations.list(resource_class=kind)] == [each.id for each in others]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_node_of_an_interrupted_command_is_released(
    url: str, dibs: Dibs, number: signal.Signals, tmp_path: Path
) -> None:
    kind = fresh("class")
    node = enroll(dibs.connection, resource_class=kind)
    running = start(url, "--resource-class", kind, "--shell", f"touch {tmp_path}/runs; exec sleep 60")
    eventually((tmp_path / "runs").exists, 30, "the command")
    assert dibs.nodes.get(node.id).instance_id is not None
    running.send_signal(number)
    running.communicate(timeout=30)
    assert running.returncode == 128 + number
    assert dibs.nodes.get(node.id).instance_id is None
    assert list(dibs.allocations.list(resource_class=kind)) == []


def test_a_closed_pipe_ends_a_command_silently(url: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as nobody:
        command = [BIN / "dibs", "--url", url, "node", "list", "--limit", "1"]
        done = subprocess.run(command, env=bare_environment(), stdout=nobody, stderr=PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, "")


def test_bash_completes_nouns_verbs_and_options() -> None:
    # The function stands in for the one of the package bash-completion.
    script = f"""
        _get_comp_words_by_ref() {{ words=("${{COMP_WORDS[@]}}"); cur=${{COMP_WORDS[COMP_CWORD]}}; }}
        source <({shlex.quote(str(BIN / "dibs"))} complete)
        complete_words() {{ COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _dibs; echo "${{COMPREPLY[@]}}"; }}
        complete_words dibs all
        complete_words dibs node rem
        complete_words dibs allocation create --wai
        complete_words dibs why --res
    """
    done = subprocess.run(["bash", "-c", script], env=bare_environment(), capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == ["allocation", "remove", "--wait", "--resource-class"], done.stderr


def test_the_plug_in_adds_the_client_commands_to_openstack(bed: Bed, dibs: Dibs, tmp_path: Path) -> None:
    kind = fresh("class")
    node = enroll(dibs.connection, resource_class=kind)
    dibs.nodes.add_traits(node.id, "CUSTOM_A")
    commands = Commands(write_clouds_yaml(tmp_path, bed.shared_server("sqlite")))
    made = commands.run(
        *("baremetal", "reservation", "create", node.name, "--ttl", "10m", "-f", "json"), program="openstack"
    )
    reservation = json.loads(made.out)
    assert reservation["node_uuid"] == node.id
    ident = reservation["uuid"]
    lines = [
        f"baremetal reservation show {ident} -f json",
        "baremetal reservation list -f json",
        f"dibs why --resource-class {kind} -f json",
        f"dibs node list --resource-class {kind} --trait CUSTOM_A --not-trait CUSTOM_B -f json",
        f"baremetal reservation delete {ident}",
        f"dibs allocation create --resource-class {kind} --name {kind} --wait 1m -f json",
        f"dibs allocation delete {kind}",
        f"dibs candidates --resource-class {kind} -f json",
        f"dibs host create {node.name} --property rack=r1 -f json",
        f"dibs host delete {node.name}",
    ]
    result = commands.run(stdin="\n".join(lines) + "\n", program="openstack")
    shown, listed, why, nodes, allocation, candidates, host = documents(result.out)
    assert shown == reservation
    assert ident in {row["uuid"] for row in listed}
    assert (why["fits"], why["reasons"]) == (False, {"held": 1})
    assert [row["uuid"] for row in nodes] == [row["provider"] for row in candidates] == [node.id]
    assert (host["name"], host["properties"]) == (node.name, {"rack": "r1"})
    assert (allocation["state"], allocation["node_uuid"]) == ("active", node.id)
    gone = commands.run("baremetal", "reservation", "show", ident, program="openstack")
    assert gone.status == 3
    assert f"Reservation {ident} could not be found." in gone.err
