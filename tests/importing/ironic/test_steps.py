"""Import from a real Ironic, compared on both sides by the real openstacksdk."""

import itertools
import signal
from typing import Any

from dibs import importing
from dibs.cli.import_progress import Silent
from dibs.importing import Address, Report, Service, copy_ironic
from tests.bed.dibs_server import DibsServer
from tests.bed.waiting import eventually
from tests.importing.command import Outcome, run_import, start_import
from tests.importing.rack import Rack, connect

# An import cannot tell the engine of its target, so one engine and one real Ironic are enough.

NODE = (
    "name", "driver", "resource_class", "owner", "lessee", "description", "properties", "extra", "instance_info",
    "instance_id", "provision_state", "is_maintenance", "maintenance_reason", "is_retired", "retired_reason",
    "is_protected", "is_automated_clean_enabled", "parent_node", "allocation_id", "deploy_interface", "raid_interface",
)  # fmt: skip
PORT = ("address", "node_id", "extra", "local_link_connection", "is_pxe_enabled")
ALLOCATION = ("name", "resource_class", "traits", "candidate_nodes", "extra", "node_id", "state")


def run(rack: Rack, server: DibsServer, *flags: str) -> Outcome:
    return run_import("ironic", rack.url, server.url, *flags)


def nodes_at(url: str) -> dict[str, dict[str, Any]]:
    """Return the nodes as a user sees them, by uuid."""
    with connect(url) as cloud:
        return {node.id: shown(node) for node in cloud.baremetal.nodes(details=True, include_children=True)}


def shown(node: Any) -> dict[str, Any]:
    # Ironic records that an allocation requested no traits, Dibs does not.
    info = {name: value for name, value in node.instance_info.items() if (name, value) != ("traits", [])}
    return {**{name: node[name] for name in NODE}, "traits": sorted(node.traits or []), "instance_info": info}


def ports_at(url: str) -> dict[str, dict[str, Any]]:
    with connect(url) as cloud:
        return {port.id: {name: port[name] for name in PORT} for port in cloud.baremetal.ports(details=True)}


def allocations_at(url: str) -> dict[str, dict[str, Any]]:
    with connect(url) as cloud:
        listed = cloud.baremetal.allocations(state="active")
        return {each.id: {name: each[name] for name in ALLOCATION} for each in listed}


def assert_same(rack: Rack, server: DibsServer) -> None:
    """Assert that both sides are equal, except for the node whose driver only Ironic has."""
    there, here = nodes_at(rack.url), nodes_at(f"{server.url}/baremetal")
    by_hand = there.pop(rack.nodes["by-hand"])
    assert here.pop(rack.nodes["by-hand"], by_hand)["name"] == "by-hand"
    assert here == there
    assert ports_at(f"{server.url}/baremetal") == ports_at(rack.url)
    assert allocations_at(f"{server.url}/baremetal") == allocations_at(rack.url)


def test_nodes_ports_traits_states_and_allocations_are_copied_and_the_rest_is_reported(
    rack: Rack, server: DibsServer
) -> None:
    done = run(rack, server)
    assert_same(rack, server)
    assert done.status == 1
    assert done.count("node", "copied") == len(rack.nodes) - 2
    assert (done.count("port", "copied"), done.count("allocation", "copied")) == (2, 2)
    found = done.findings("node")
    assert set(found) == {"by-hand", "secretive"}
    assert "no driver manual-management (available: fake-hardware)" in found["by-hand"]["reason"]
    (secret,) = found["secretive"]["differences"]
    assert (secret["what"], secret["here"]) == ("driver_info/ipmi_password", None)
    assert "set this one in Dibs by hand" in secret["why"]
    assert "the allocation failed" in done.findings("allocation")["in-vain"]["reason"]


def test_a_second_run_changes_nothing_and_reports_what_was_changed_in_dibs(rack: Rack, server: DibsServer) -> None:
    fallback = ("--driver", "fake-hardware")
    run(rack, server, *fallback)
    with connect(f"{server.url}/baremetal") as cloud:
        cloud.baremetal.patch_node(rack.nodes["secretive"], [add("driver_info/ipmi_password", "correct horse")])
        before = nodes_at(f"{server.url}/baremetal")
        again = run(rack, server, *fallback)
        assert (again.status, again.count("node", "same"), again.findings("node")) == (0, len(rack.nodes), {})
        assert nodes_at(f"{server.url}/baremetal") == before
        cloud.baremetal.patch_node(rack.nodes["free"], [add("extra/rack", "r2")])
        cloud.baremetal.remove_node_trait(rack.nodes["free"], "CUSTOM_GPU")
        cloud.baremetal.set_node_provision_state(rack.nodes["free"], "manage")
        changed = nodes_at(f"{server.url}/baremetal")
    found = run(rack, server, *fallback).findings("node")["free"]
    assert {each["what"]: (each["there"], each["here"]) for each in found["differences"]} == {
        "extra/rack": ("r1", "r2"),
        "traits": (["CUSTOM_GPU", "HW_CPU_X86_AVX2"], ["HW_CPU_X86_AVX2"]),
        "provision_state": ("available", "manageable"),
    }
    assert nodes_at(f"{server.url}/baremetal") == changed


def add(path: str, value: str) -> dict[str, str]:
    return {"op": "add", "path": f"/{path}", "value": value}


def test_an_import_that_is_killed_repeatedly_continues_each_time(rack: Rack, server: DibsServer) -> None:
    with connect(f"{server.url}/baremetal") as cloud:
        for wanted in (1, 4, 8):
            process = start_import("ironic", rack.url, server.url)
            eventually(
                lambda least=wanted: len(list(cloud.baremetal.nodes(fields=["uuid"]))) >= least,
                60,
                f"{wanted} nodes",
            )
            process.send_signal(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL
    done = run(rack, server)
    assert_same(rack, server)
    assert set(done.findings("node")) == {"by-hand", "secretive"}


class Died(Exception):
    """Stands in for the death of the process."""


class Mortal(Service):
    """A service whose client dies right after a given number of writes."""

    writes_left = 0

    def send(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        answer = super().send(method, path, body, **options)
        self.writes_left -= method != "GET"
        if self.writes_left == 0 and method != "GET":
            raise Died
        return answer


def test_an_import_that_dies_after_any_write_is_completed_by_the_next_run(rack: Rack, server: DibsServer) -> None:
    source = importing.connect(Address(url=rack.url), "baremetal")
    found = importing.connect(Address(url=server.url), "baremetal", "/baremetal")
    target = Mortal(found.adapter, "baremetal", found.url)
    target.negotiate()
    # A node takes at most eight writes, so each run with ten writes completes at least one more.
    for writes in itertools.chain(range(1, 11), itertools.repeat(10, 30)):
        target.writes_left = writes
        try:
            report = Report(Silent())
            copy_ironic(source, target, report, None)
        except Died:
            continue
        break
    assert target.writes_left > 0, "no run reached the end"
    assert_same(rack, server)
    assert {each.name for each in report.findings if each.noun == "node"} == {"by-hand", "secretive"}
