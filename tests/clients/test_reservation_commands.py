"""The real ``openstack reservation`` and ``blazar`` commands, each in its own process."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.bed.session import Bed
from tests.bed.waiting import eventually
from tests.clients.clouds import CommandResult, Commands, connect, fresh, write_clouds_yaml
from tests.clients.test_blazarclient import PROPERTY, client_of, create_provider

WINDOW = ("--start-date", "2092-05-01 10:00", "--end-date", "2092-05-01 12:00")


@pytest.fixture
def clouds_yaml(bed: Bed, tmp_path: Path) -> Path:
    """Use one engine only: the commands cannot tell engines apart, and each takes a second or two to start."""
    return write_clouds_yaml(tmp_path, bed.shared_server("sqlite"))


@pytest.fixture
def commands(clouds_yaml: Path) -> Commands:
    return Commands(clouds_yaml)


def reservation(commands: Commands, *words: str) -> Any:
    """Run one command and return the JSON that it prints."""
    result = commands.run("reservation", *words, "-f", "json", program="openstack")
    assert result.status == 0, result.err
    # Some commands print a line of text before the JSON.
    return json.loads(result.out[re.search(r"^[{\[]", result.out, re.MULTILINE).start() :])


def plain(commands: Commands, *words: str) -> CommandResult:
    """Run one command without parsing its output."""
    return commands.run("reservation", *words, program="openstack")


def blazar(commands: Commands, url: str, *words: str) -> CommandResult:
    """Run the older command, which does not read clouds.yaml and needs the endpoint as an option."""
    return commands.run("--os-auth-type", "none", "--os-endpoint", f"{url}/reservation/v1", *words, program="blazar")


def instances(name: str, amount: int = 2) -> str:
    """Return the argument for a reservation of instances on a host."""
    on = json.dumps(["==", f"${PROPERTY}", name])
    return f"resource_type=virtual:instance,vcpus=4,memory_mb=1024,disk_gb=10,amount={amount},resource_properties={on}"


def test_a_host_is_registered_leased_and_deleted(commands: Commands, clouds_yaml: Path) -> None:
    with connect(clouds_yaml) as cloud:
        name = create_provider(cloud)
    host = reservation(commands, "host", "create", name, "--extra", f"{PROPERTY}={name}")
    assert (host["hypervisor_hostname"], host[PROPERTY], host["vcpus"]) == (name, name, 64)
    assert host["id"] in {row["id"] for row in reservation(commands, "host", "list")}

    lease = fresh("lease")
    part = json.loads(
        reservation(commands, "lease", "create", *WINDOW, "--reservation", instances(name), lease)["reservations"]
    )
    assert (part["amount"], part["affinity"], part["flavor_id"]) == (2, None, part["id"])
    pending = reservation(commands, "lease", "show", lease)
    assert (pending["status"], pending["end_date"]) == ("PENDING", "2092-05-01T12:00:00.000000")
    changed = plain(
        commands, "lease", "set", lease, "--prolong-for", "1h", "--reservation", f"id={part['id']},amount=3"
    )
    assert changed.status == 0, changed.err
    shown = reservation(commands, "lease", "show", lease)
    assert (shown["end_date"], json.loads(shown["reservations"])["amount"]) == ("2092-05-01T13:00:00.000000", 3)

    allocation = reservation(commands, "allocation", "show", "host", name)
    assert json.loads(allocation["reservations"])["lease_id"] == shown["id"]
    refused = plain(commands, "host", "delete", name)
    assert "The host is reserved." in refused.out + refused.err
    assert plain(commands, "lease", "delete", lease).status == 0
    assert plain(commands, "host", "delete", name).status == 0
    assert name not in {row["hypervisor_hostname"] for row in reservation(commands, "host", "list")}


def test_the_older_blazar_command_works(commands: Commands, clouds_yaml: Path, bed: Bed) -> None:
    url = bed.shared_server("sqlite").url
    with connect(clouds_yaml) as cloud:
        name = create_provider(cloud)
    key = fresh("rack").replace("-", "_")
    assert (
        blazar(commands, url, "host-create", name, "--extra", f"{PROPERTY}={name}", "--extra", f"{key}=r1").status == 0
    )
    assert key in blazar(commands, url, "host-property-list").out
    assert blazar(commands, url, "host-unset", name, "--extra", key).status == 0
    lease, requirement = fresh("lease"), json.dumps(["==", f"${PROPERTY}", name])
    made = blazar(
        commands,
        url,
        "lease-create",
        *WINDOW,
        "--physical-reservation",
        f"min=1,max=1,hypervisor_properties=,resource_properties={requirement}",
        lease,
    )
    assert made.status == 0, made.err
    again = blazar(commands, url, "lease-create", *WINDOW, "--reservation", instances(name), fresh("lease"))
    assert "Not enough hosts available" in again.err
    assert "The earliest start at which this fits is 2092-05-01 12:00." in again.err
    assert lease in blazar(commands, url, "lease-list").out
    assert blazar(commands, url, "lease-delete", lease).status == 0
    assert blazar(commands, url, "host-delete", name).status == 0


def test_a_lease_starts_is_used_extended_and_ended(commands: Commands, clouds_yaml: Path, bed: Bed) -> None:
    with connect(clouds_yaml) as cloud:
        name, lease = create_provider(cloud), fresh("lease")
        blazar_client = client_of(cloud, bed.shared_server("sqlite"))
        host = blazar_client.host.create(name, **{PROPERTY: name})
        end = ("--end-date", "2092-06-01 12:00")
        made = reservation(commands, "lease", "create", *end, "--reservation", instances(name), lease)
        part = json.loads(made["reservations"])["id"]
        eventually(lambda: blazar_client.lease.get(made["id"])["status"] == "ACTIVE", what="the start of the lease")

        words = ("server", "create", "--flavor", part, "--image", "any", "--nic", "none", "--wait", "-f", "json")
        launched = commands.run(*words, fresh("server"), program="openstack")
        assert launched.status == 0, launched.err
        server = cloud.compute.get_server(json.loads(launched.out)["id"])
        assert (server.status, server.hypervisor_hostname) == ("ACTIVE", name)

        assert plain(commands, "lease", "set", lease, "--prolong-for", "1h").status == 0
        shown = reservation(commands, "lease", "show", lease)
        assert (shown["status"], shown["end_date"]) == ("ACTIVE", "2092-06-01T13:00:00.000000")
        assert plain(commands, "lease", "delete", lease).status == 0
        assert cloud.compute.find_server(server.id) is None
        assert cloud.compute.find_flavor(part) is None
        blazar_client.host.delete(host["id"])
