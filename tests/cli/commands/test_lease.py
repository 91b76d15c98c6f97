"""``dibs lease …``."""

import json
from collections.abc import Iterator

import pytest

from dibs.client import Dibs
from tests.bed.session import Bed
from tests.cli.run_dibs import run
from tests.clients.clouds import enroll, fresh
from tests.clients.test_blazarclient import PROPERTY, client_of, create_provider


@pytest.fixture
def only(bed: Bed) -> Iterator[str]:
    """Register a host and yield a property that only this host has."""
    server = bed.shared_server("sqlite")
    cloud = Dibs.connect(server.url).connection
    name = create_provider(cloud)
    blazar = client_of(cloud, server)
    host = blazar.host.create(name, **{PROPERTY: name})
    yield f"{PROPERTY}={name}"
    blazar.host.delete(host["id"])


def test_a_lease_of_a_host_is_created_listed_shown_extended_and_deleted(bed: Bed, only: str) -> None:
    url, name = bed.shared_server("sqlite").url, fresh("lease")
    window = ("--start", "2094-05-01T10:00", "--for", "2h", "--hosts", "1", "--property", only)
    made = run("lease", "create", name, *window, "-f", "json", url=url).json
    assert (made["start_date"][:16], made["end_date"][:16]) == ("2094-05-01T10:00", "2094-05-01T12:00")
    assert run("lease", "create", name, *window, "-f", "json", url=url).json["id"] == made["id"]
    refused = run("lease", "create", fresh("lease"), *window, url=url)
    assert refused.code == 1
    assert refused.err.startswith("Not enough hosts available")
    assert "Possible instead:\n- start at 2094-05-01 12:00: dibs lease create lease-" in refused.err
    refusal = run("lease", "why", *window, "-f", "json", url=url)
    assert refusal.code == 1
    why = json.loads(refusal.out)
    assert (why["fits"], why["earliest"]) == (False, "2094-05-01T12:00:00+00:00")
    assert why["offers"][0]["kind"] == "later"
    again = [*why["offers"][0]["command"].split()[1:], "-f", "json"]
    accepted = run(*again, url=url).json
    assert accepted["start_date"][:16] == "2094-05-01T12:00"
    assert run("lease", "delete", accepted["id"], url=url).code == 0
    assert made["id"] in {row["id"] for row in run("lease", "list", "-f", "json", url=url).json}
    longer = run("lease", "update", name, "--prolong-for", "1h", "-f", "json", url=url).json
    assert longer["end_date"][:16] == "2094-05-01T13:00"
    shown = run("lease", "show", name, "-f", "json", url=url).json
    assert (shown["latest_end"], shown["limit"]) == (None, None)
    assert [part["resource_type"] for part in shown["reservations"]] == ["physical:host"]
    assert shown["hosts"] == [only.partition("=")[2]]
    table = run("lease", "show", name, url=url).out
    assert max(len(line) for line in table.splitlines()) <= 80
    assert f"| hosts        | {shown['hosts'][0]} " in table
    assert "2094-05-01T10:00 start_lease UNDONE" in table
    (listed,) = (row for row in run("lease", "list", "-f", "json", url=url).json if row["name"] == name)
    assert (listed["age"][-1], "d " in listed["left"]) == ("s", True)
    closest = run("lease", "show", name[:-1], url=url)
    assert closest.code == 3
    assert f"Did you mean {name}" in closest.err
    assert run("lease", "delete", name, url=url).code == 0
    assert run("lease", "show", name, url=url).code == 3


def test_a_lease_of_instances_needs_a_host_with_all_properties(bed: Bed, only: str) -> None:
    url, name = bed.shared_server("sqlite").url, fresh("lease")
    room = ("--instances", "3", "--vcpus", "4", "--memory-mb", "2048", "--property", only)
    window = ("--start", "2094-06-01T10:00", "--end", "2094-06-01T12:00")
    made = run("lease", "create", name, *window, *room, "-f", "json", url=url).json
    (part,) = made["reservations"]
    assert (part["amount"], part["vcpus"], part["memory_mb"]) == (3, 4, 2048)
    assert run("lease", "delete", made["id"], url=url).code == 0
    too_much = run("lease", "create", name, *window, *room, "--property", "rack=none", url=url)
    assert too_much.code == 1


def test_a_lease_is_created_by_count_trait_and_class_without_json(bed: Bed) -> None:
    url, kind = bed.shared_server("sqlite").url, fresh("class")
    dibs = Dibs.connect(url)
    node, other = (enroll(dibs.connection, resource_class=kind) for _ in range(2))
    dibs.nodes.add_traits(node.id, "CUSTOM_LEASED")
    for each in (node, other):
        assert run("host", "create", each.name, url=url).code == 0
    request = ("--trait", "CUSTOM_LEASED", "--resource-class", kind, "--for", "4h", "--start", "monday 09:00")
    made = run("lease", "create", "--count", "1", *request, "-f", "json", url=url).json
    assert (made["name"][:6], made["hosts"], made["start_date"][11:16]) == ("lease-", [node.name], "09:00")
    assert run("lease", "create", "--count", "2", *request, url=url).code == 1
    assert run("lease", "delete", made["id"], url=url).code == 0
    for each in (node, other):
        assert run("host", "delete", each.name, url=url).code == 0


def test_release_of_a_host_is_refused_before_the_lease_has_started(bed: Bed, only: str) -> None:
    url, name = bed.shared_server("sqlite").url, fresh("lease")
    window = ("--start", "2094-07-01T10:00", "--for", "2h", "--hosts", "1", "--property", only)
    assert run("lease", "create", name, *window, url=url).code == 0
    refused = run("lease", "release", name, only.partition("=")[2], url=url)
    assert (refused.code, "is PENDING: only an active lease can release a host" in refused.err) == (1, True)
    assert run("lease", "delete", name, url=url).code == 0
