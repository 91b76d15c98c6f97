"""``dibs allocation …``: waiting, batches, running a command, and release."""

import json
import re
from pathlib import Path

import pytest

from dibs.client import Dibs
from dibs.client.allocations import Allocations
from tests.bed.session import Bed
from tests.bed.waiting import eventually
from tests.cli.run_dibs import Terminal, run
from tests.clients.clouds import enroll, fresh, until_provisioned


@pytest.fixture
def url(bed: Bed) -> str:
    return bed.shared_server("sqlite").url


@pytest.fixture
def dibs(url: str) -> Dibs:
    return Dibs.connect(url)


@pytest.fixture
def kind() -> str:
    return fresh("class")


def test_an_allocation_is_created_shown_listed_and_deleted(url: str, dibs: Dibs, kind: str) -> None:
    node, name = enroll(dibs.connection, resource_class=kind), fresh("mine")
    create = ("allocation", "create", "--resource-class", kind, "--name", name, "--extra", "a=1", "-f", "json")
    created = run(*create, url=url).json
    allocated = run(*create, "--wait", "0", url=url).json
    assert (allocated["uuid"], allocated["node_uuid"], allocated["extra"]) == (created["uuid"], node.id, {"a": "1"})
    different = run(*create, "--sticky", url=url)
    assert (different.code, different.err) == (
        1,
        f"Allocation {name} already exists, but its sticky is False, not True.\n",
    )
    shown = run("allocation", "show", name, "-f", "value", "-c", "node_uuid", url=url)
    assert shown.out == f"{node.id}\n"
    filters = ("--resource-class", kind, "--state", "active")
    (row,) = run("allocation", "list", *filters, "--long", "-f", "json", url=url).json
    assert (row["name"], row["candidate_nodes"]) == (name, [])
    assert run("allocation", "delete", name, url=url).code == 0
    assert run("allocation", "show", name, url=url).code == 3


def test_an_allocation_with_a_lifetime_is_renewed_and_ends(url: str, dibs: Dibs, kind: str) -> None:
    node, name = enroll(dibs.connection, resource_class=kind), fresh("mine")
    create = ("allocation", "create", "--resource-class", kind, "--name", name, "--wait", "1m", "-f", "json")
    made = run(*create, "--lifetime", "8h", url=url).json
    assert made["until"] > made["created_at"]
    assert run("allocation", "list", "--resource-class", kind, "-f", "json", url=url).json[0]["left"].startswith("7h")
    renewed = run("allocation", "renew", name, "--until", "+2d", "-f", "json", url=url).json
    assert renewed["until"] > made["until"]
    keep = run("why", "--keep", name, "-f", "json", url=url)
    assert (keep.code, keep.json["latest_end"], keep.json["limit"]) == (0, None, None)
    assert keep.json["end"][:19] == renewed["until"][:19]
    assert run("allocation", "renew", name, "--lifetime", "1s", url=url).code == 0
    eventually(lambda: dibs.allocations.get(name).state == "error", what="the end of the allocation")
    assert dibs.nodes.get(node.id).instance_id is None
    assert run("allocation", "delete", name, url=url).code == 0


def test_a_batch_gets_all_its_nodes(url: str, dibs: Dibs, kind: str) -> None:
    nodes = {enroll(dibs.connection, resource_class=kind).id for _ in range(2)}
    create = ("allocation", "create", "--resource-class", kind, "--bulk", "2", "--wait", "1m", "-f", "json")
    batch = run(*create, url=url).json
    assert (set(batch["node_uuid"]), batch["state"], len(batch["uuid"])) == (nodes, "active", 2)
    rows = run("allocation", "list", "--batch", batch["batch"], "-f", "json", url=url).json
    assert {row["uuid"] for row in rows} == set(batch["uuid"])
    assert run("allocation", "delete", *batch["uuid"], url=url).code == 0


def test_failure_and_timeout_differ_in_exit_code_and_both_print_the_reason(url: str, dibs: Dibs, kind: str) -> None:
    create = ("allocation", "create", "--resource-class", kind)
    failed = run(*create, "--name", kind, "--wait", "0", url=url)
    assert failed.code == 1
    assert f"failed: no nodes of class {kind}" in failed.err
    timed_out = run(*create, "--wait", "1s", url=url)
    assert timed_out.code == 4
    assert f"Waiting for a node of class {kind} (0 s)." in timed_out.err
    assert f"failed: no nodes of class {kind}" in timed_out.err
    again = run(*create, "--name", kind, "--wait", "1s", url=url)
    assert again.code == 4, "a second run must wait, not report the old failure"
    node = enroll(dibs.connection, resource_class=kind)
    retried = run("allocation", "retry", kind, "--wait", "1m", "-f", "json", url=url).json
    assert (retried["state"], retried["node_uuid"]) == ("active", node.id)
    assert dibs.allocations.get(kind).keep_alive_seconds is None
    assert run("allocation", "retry", kind, url=url).code == 1


def test_a_batch_that_failed_prints_what_is_possible_instead(url: str, dibs: Dibs, kind: str) -> None:
    enroll(dibs.connection, resource_class=kind)
    failed = run("allocation", "create", "--resource-class", kind, "--bulk", "2", "--wait", "0", url=url)
    assert failed.code == 1
    command = f"dibs allocation create --resource-class {kind}"
    assert f"Possible instead:\n- ask for 1 instead of 2: {command}\n" in failed.err


def test_an_interrupted_retry_needs_heartbeats_that_do_not_come(
    url: str, dibs: Dibs, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("allocation", "create", "--resource-class", kind, "--name", kind, "--wait", "0", url=url).code == 1

    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Allocations, "wait", interrupt)
    assert run("allocation", "retry", kind, "--wait", "1h", "--keep-alive", "30s", url=url).code == 130
    left = dibs.allocations.get(kind)
    assert (left.state, left.keep_alive_seconds) == ("allocating", 30)
    dibs.allocations.delete(kind)


def test_a_terminal_shows_the_reason_while_waiting(url: str, kind: str) -> None:
    terminal = Terminal()
    words = ("allocation", "create", "--resource-class", kind, "--wait", "3s")
    assert run(*words, url=url, stderr=terminal).code == 4
    shown = " ".join(terminal.getvalue().split())
    assert re.search(rf"Waiting for a node of class {kind} \(\d s\)\. no nodes of class {kind}\.", shown)
    assert "\x1b[?25h" in shown, "the cursor is hidden"


def test_the_command_has_the_node_in_its_environment_and_its_exit_code_is_returned(
    url: str, dibs: Dibs, kind: str, tmp_path: Path
) -> None:
    node = enroll(dibs.connection, resource_class=kind, properties={"cpus": 8})
    dibs.nodes.add_traits(node.id, "CUSTOM_A")
    seen = tmp_path / "seen"
    command = f"env | grep ^DIBS_ > {seen}; exit 7"
    result = run("allocation", "create", "--resource-class", kind, "--shell", command, url=url)
    assert (result.code, result.out) == (7, "")
    variables = dict(line.partition("=")[::2] for line in seen.read_text().splitlines())
    assert (variables["DIBS_NODE_UUID"], variables["DIBS_NODE_NAME"]) == (node.id, node.name)
    assert (variables["DIBS_NODE_TRAITS"], variables["DIBS_RESOURCE_CLASS"]) == ("CUSTOM_A", kind)
    assert json.loads(variables["DIBS_NODE_PROPERTIES"]) == {"cpus": 8}
    assert variables["DIBS_URL"] == url
    assert dibs.nodes.get(node.id).instance_id is None
    assert list(dibs.allocations.list(resource_class=kind)) == []


def test_a_node_that_the_command_deployed_is_undeployed_and_released(url: str, dibs: Dibs, kind: str) -> None:
    node = enroll(dibs.connection, resource_class=kind)
    deploy = (
        "curl -sf -X PUT -H 'Content-Type: application/json' -d '{\"target\": \"active\"}'"
        " $DIBS_URL/baremetal/v1/nodes/$DIBS_NODE_UUID/states/provision"
    )
    result = run("allocation", "create", "--resource-class", kind, "--sticky", "--shell", deploy, url=url)
    assert result.code == 0, result.err
    assert until_provisioned(dibs.connection, node, "available").instance_id is None
    assert list(dibs.allocations.list(resource_class=kind)) == []


def test_the_command_does_not_run_without_a_node(url: str, dibs: Dibs, kind: str, tmp_path: Path) -> None:
    words = ("allocation", "create", "--resource-class", kind, "--shell", f"touch {tmp_path}/ran")
    assert run(*words, "--bulk", "2", url=url).code == 1
    assert run(*words, "--wait", "1s", url=url).code == 4
    assert list(tmp_path.iterdir()) == []
    assert list(dibs.allocations.list(resource_class=kind)) == []


def test_an_existing_allocation_of_the_same_name_is_not_released(url: str, dibs: Dibs, kind: str) -> None:
    enroll(dibs.connection, resource_class=kind)
    theirs = dibs.allocations.create(kind, name=kind)
    result = run("allocation", "create", "--resource-class", kind, "--name", kind, "--shell", "true", url=url)
    assert result.code == 1
    assert "already" in result.err
    assert dibs.allocations.get(kind).id == theirs.id
    dibs.allocations.wait([theirs])
    dibs.connection.baremetal.set_node_provision_state(dibs.allocations.get(kind).node_id, "active")
    assert run("allocation", "delete", kind, "--tear-down", url=url).code == 0
