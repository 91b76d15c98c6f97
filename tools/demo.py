"""``make demo``: enroll 60 fake machines, filter, deploy and undeploy them, and print the requests.

The demo starts its own server on a free port with a temporary database, or uses the server at DIBS_URL, which must
accept requests without credentials. It needs Dibs only: all requests are plain HTTP.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demo_fleet import KINDS, fleet

WAIT_SECONDS = 120
VERSION = "1.80"
BROKEN, FAILING = "r2-c05", "r1-c12"


class DemoFailed(Exception):
    """The demo cannot continue; the message says why."""


class Refused(Exception):
    """The server refused a request, with a status and a reason."""

    def __init__(self, status: int, reason: str) -> None:
        self.status = status
        super().__init__(reason)


@dataclass(frozen=True)
class Api:
    """The bare-metal API of a server."""

    url: str

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Send one request and return the response; raise Refused if it is an error."""
        headers = {"X-OpenStack-Ironic-API-Version": VERSION, "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/baremetal/v1{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise Refused(error.code, _reason(error.read())) from None
        except urllib.error.URLError as error:
            raise DemoFailed(f"Cannot connect to {self.url}: {error.reason}") from None
        return json.loads(text) if text else None

    def node(self, name: str) -> Any:
        """Return a node."""
        return self.call("GET", f"/nodes/{name}")

    def provision(self, name: str, verb: str) -> None:
        """Send a provision verb."""
        self.call("PUT", f"/nodes/{name}/states/provision", {"target": verb})

    def wait(self, name: str, *states: str) -> Any:
        """Poll until the node is in one of the states and unlocked; return it."""
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            node = self.node(name)
            if node["provision_state"] in states and node["reservation"] is None:
                return node
            if time.monotonic() > deadline:
                raise DemoFailed(
                    f"{name} is still {node['provision_state']} after {WAIT_SECONDS} s, not {' or '.join(states)}"
                )
            time.sleep(0.05)


def _reason(body: bytes) -> str:
    """Return the message of a bare-metal API error, which is JSON in a JSON string."""
    try:
        message = json.loads(json.loads(body)["error_message"])
        return str(message.get("faultstring") or message.get("description") or message)
    except (ValueError, KeyError, TypeError, AttributeError):
        return body.decode(errors="replace")


# --- enrollment -------------------------------------------------------------------------------------------------------


def enroll_fleet(api: Api) -> None:
    """Make all machines available. Machines that an earlier demo enrolled are not changed."""
    machines = list(fleet())
    new = [machine["name"] for number, machine in enumerate(machines, 1) if _enroll(api, machine, number)]
    _move(api, new, "manage", "manageable", "verified as manageable")
    _move(api, new, "provide", "available", "cleaned and available")
    api.call("PUT", f"/nodes/{BROKEN}/maintenance", {"reason": "fan 3 is noisy"})


def _enroll(api: Api, machine: dict[str, Any], number: int) -> bool:
    attributes = {name: value for name, value in machine.items() if name != "traits"}
    try:
        node = api.call("POST", "/nodes", attributes)
    except Refused as refusal:
        if refusal.status == 409:
            return False
        raise
    api.call("PUT", f"/nodes/{node['uuid']}/traits", {"traits": machine["traits"]})
    for port in range(2):
        address = f"52:54:{port:02x}:00:{number >> 8:02x}:{number & 255:02x}"
        api.call("POST", "/ports", {"node_uuid": node["uuid"], "address": address, "pxe_enabled": port == 0})
    progress("enrolled, with ports and traits", number, 60)
    return True


def _move(api: Api, names: list[str], verb: str, state: str, meaning: str) -> None:
    for name in names:
        api.provision(name, verb)
    for done, name in enumerate(names, 1):
        api.wait(name, state)
        progress(meaning, done, len(names))


# --- output -----------------------------------------------------------------------------------------------------------


def progress(what: str, done: int, of: int) -> None:
    """Print the progress: a changing line on a terminal, otherwise the last step only."""
    if sys.stdout.isatty():
        print(f"\r  {done:3} of {of} {what}", end="" if done < of else "\n", flush=True)
    elif done == of:
        print(f"  {done:3} of {of} {what}", flush=True)


def heading(text: str) -> None:
    """Print the heading of a section."""
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}", flush=True)


def show_filter(api: Api, meaning: str, query: str) -> None:
    """Print a list request and the names of the nodes that it returns."""
    nodes = api.call("GET", f"/nodes?{query}&fields=name&sort_key=name")["nodes"]
    names = [node["name"] for node in nodes]
    shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
    print(f"  {meaning}\n    GET /baremetal/v1/nodes?{query}\n    {len(names)}: {shown}")


# --- sections ---------------------------------------------------------------------------------------------------------


def run_sections(api: Api) -> None:
    """Run every section of the demo."""
    count_machines(api)
    find_by_trait(api)
    deploy_with_traits(api)
    fail_a_deploy(api)


def count_machines(api: Api) -> None:
    """Print the number of machines of each class, and how many are available."""
    heading("The fleet")
    for kind, *_ in KINDS:
        nodes = api.call("GET", f"/nodes?resource_class={kind}&fields=provision_state,maintenance")["nodes"]
        ready = sum(node["provision_state"] == "available" and not node["maintenance"] for node in nodes)
        print(f"  {len(nodes):3} {kind:<8} {ready} available now")


def find_by_trait(api: Api) -> None:
    """Show the four trait filters, alone and with other filters."""
    heading("Filter machines by trait")
    show_filter(api, "has all traits", "traits=CUSTOM_GPU_A100,CUSTOM_INFINIBAND")
    show_filter(api, "has any trait", "traits-any=CUSTOM_GPU_A100,CUSTOM_GPU_H100")
    show_filter(api, "lacks at least one trait", "resource_class=gpu&not-traits=CUSTOM_GPU_H100,CUSTOM_INFINIBAND")
    show_filter(api, "has none of the traits", "resource_class=storage&not-traits-any=CUSTOM_NVME,CUSTOM_GPU_A100")
    show_filter(
        api,
        "with other filters",
        "resource_class=compute&provision_state=available&maintenance=false&traits=HW_CPU_X86_AVX512F,CUSTOM_NVME",
    )


def deploy_with_traits(api: Api) -> None:
    """Deploy with a required trait that the machine lacks, then with one that it has."""
    name = "r4-g01"
    heading(f"Deploy {name} with required traits")
    for traits in (["CUSTOM_GPU_H100"], ["CUSTOM_GPU_A100"]):
        patch = [{"op": "add", "path": "/instance_info", "value": {"image_source": "debian-12", "traits": traits}}]
        api.call("PATCH", f"/nodes/{name}", patch)
        print(f"  instance_info/traits = {traits}, then deploy:")
        try:
            api.provision(name, "active")
        except Refused as refusal:
            print(f"    {refusal.status}: {refusal}")
        else:
            print(f"    {name} is {api.wait(name, 'active', 'deploy failed')['provision_state']}")
    api.provision(name, "deleted")
    print(f"  undeploy:\n    {name} is {api.wait(name, 'available')['provision_state']} again")


def fail_a_deploy(api: Api) -> None:
    """Show a failed deploy, with the failure injection of the fake hardware."""
    heading(f"A failed deploy (injected on {FAILING})")
    patch = [{"op": "add", "path": "/driver_info/fake_fail_deploy", "value": "no link on port 1"}]
    api.call("PATCH", f"/nodes/{FAILING}", patch)
    api.provision(FAILING, "active")
    node = api.wait(FAILING, "deploy failed", "active")
    print(f"  provision_state: {node['provision_state']}\n  last_error: {node['last_error']}")
    api.provision(FAILING, "deleted")
    print(f"  undeploy:\n    {FAILING} is {api.wait(FAILING, 'available')['provision_state']} again")
    api.call("PATCH", f"/nodes/{FAILING}", [{"op": "remove", "path": "/driver_info/fake_fail_deploy"}])


def print_suggestions(api: Api, clouds_yaml: Path | None) -> None:
    """Print commands for the reader to run."""
    heading("Try it yourself")
    print(f"  curl -H 'X-OpenStack-Ironic-API-Version: 1.37' '{api.url}/baremetal/v1/nodes?traits=CUSTOM_NVME'")
    print("  pip install python-ironicclient")
    if clouds_yaml:
        print(f"  export OS_CLOUD=dibs OS_CLIENT_CONFIG_FILE={clouds_yaml}")
    else:
        print(f"  export OS_AUTH_TYPE=none OS_ENDPOINT={api.url}/baremetal")
    print("  baremetal node list --resource-class gpu --fields name provision_state traits")
    print("  baremetal node deploy r5-g02 --wait")
    print(f"  {api.url}/ lists all APIs; docs/tutorial.md continues from here", flush=True)


# --- the server -------------------------------------------------------------------------------------------------------


@contextmanager
def own_server() -> Iterator[tuple[Api, Path]]:
    """Run a server on a free port with a temporary database; yield its API and the clouds.yaml that it prints."""
    with tempfile.TemporaryDirectory(prefix="dibs-demo-") as folder:
        # The DIBS_ settings of the calling shell are for another server.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("DIBS_")}
        command = [str(Path(sys.executable).with_name("dibs")), "serve", "--bind", "127.0.0.1:0"]
        command += ["--database", f"sqlite:///{folder}/demo.sqlite"]
        with Path(folder, "log").open("w") as log:
            server = subprocess.Popen(
                command,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                # Ctrl-C interrupts the demo only, which then stops the server.
                start_new_session=True,
            )
        try:
            yield _announced(server, Path(folder))
        finally:
            server.terminate()
            server.wait()


def _announced(server: "subprocess.Popen[str]", folder: Path) -> tuple[Api, Path]:
    """Read the URL and the clouds.yaml that the server prints when it is ready."""
    assert server.stdout is not None
    lines: list[str] = []
    for line in server.stdout:
        lines.append(line)
        if "baremetal_endpoint_override" in line:
            break
    text = "".join(lines)
    address = re.search(r"https?://[^/]+", text)
    if not address:
        raise DemoFailed(f"The server did not start:\n{(folder / 'log').read_text()}")
    clouds_yaml = folder / "clouds.yaml"
    clouds_yaml.write_text(text[text.index("clouds:") :])
    return Api(address.group()), clouds_yaml


def run(api: Api, clouds_yaml: Path | None) -> None:
    """Run the whole demo."""
    heading(f"Enroll 60 machines with fake hardware at {api.url}")
    enroll_fleet(api)
    run_sections(api)
    print_suggestions(api, clouds_yaml)


def main() -> int:
    """Run the demo; on a terminal, keep the server running until Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--stay", action="store_true", default=sys.stdout.isatty(), help="keep the server running until Ctrl-C"
    )
    stay = parser.parse_args().stay
    try:
        if url := os.environ.get("DIBS_URL"):
            run(Api(url.rstrip("/")), None)
            return 0
        with own_server() as (api, clouds_yaml):
            run(api, clouds_yaml)
            if stay:
                print("\nThe server runs until Ctrl-C; then it is stopped and its data is deleted.", flush=True)
                while True:
                    time.sleep(3600)
    except KeyboardInterrupt:
        print()
    except (DemoFailed, Refused) as error:
        print(f"\nThe demo failed: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
