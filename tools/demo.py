"""``make demo``: a fleet of 60 fake machines, and what Dibs does with them, told in a terminal.

It starts a server of its own on a free port with a database that is thrown away, or uses the one at DIBS_URL (without a
login). It needs nothing but Dibs: every request is plain HTTP, and shown.
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
    """The demo cannot go on; the message says why."""


class Refused(Exception):
    """The server said no: its status, and its reason."""

    def __init__(self, status: int, reason: str) -> None:
        self.status = status
        super().__init__(reason)


@dataclass(frozen=True)
class Api:
    """The bare-metal API at an address."""

    url: str

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Send one request and give the answer; Refused when it is a refusal."""
        headers = {"X-OpenStack-Ironic-API-Version": VERSION, "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/baremetal/v1{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise Refused(error.code, _reason(error.read())) from None
        except urllib.error.URLError as error:
            raise DemoFailed(f"Nobody answers at {self.url}: {error.reason}") from None
        return json.loads(text) if text else None

    def node(self, name: str) -> Any:
        """Show a node."""
        return self.call("GET", f"/nodes/{name}")

    def ask(self, name: str, verb: str) -> None:
        """Ask for a provision verb."""
        self.call("PUT", f"/nodes/{name}/states/provision", {"target": verb})

    def wait(self, name: str, *states: str) -> Any:
        """Look until the node is in one of the states."""
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            node = self.node(name)
            if node["provision_state"] in states and node["reservation"] is None:
                return node
            if time.monotonic() > deadline:
                raise DemoFailed(
                    f"{name} is {node['provision_state']} for too long; it should be {' or '.join(states)}"
                )
            time.sleep(0.05)


def _reason(body: bytes) -> str:
    """The sentence inside an error of the bare-metal API: JSON in a string in JSON."""
    try:
        message = json.loads(json.loads(body)["error_message"])
        return str(message.get("faultstring") or message.get("description") or message)
    except (ValueError, KeyError, TypeError, AttributeError):
        return body.decode(errors="replace")


# --- enrolling --------------------------------------------------------------------------------------------------------


def enrol_fleet(api: Api) -> None:
    """Make all machines available. Those that are there already, from an earlier demo, stay as they are."""
    machines = list(fleet())
    new = [machine["name"] for number, machine in enumerate(machines, 1) if _enrol(api, machine, number)]
    _move(api, new, "manage", "manageable", "checked that they can be managed")
    _move(api, new, "provide", "available", "cleaned, and available")
    api.call("PUT", f"/nodes/{BROKEN}/maintenance", {"reason": "fan 3 makes a noise"})


def _enrol(api: Api, machine: dict[str, Any], number: int) -> bool:
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
        api.ask(name, verb)
    for done, name in enumerate(names, 1):
        api.wait(name, state)
        progress(meaning, done, len(names))


# --- what is printed --------------------------------------------------------------------------------------------------


def progress(what: str, done: int, of: int) -> None:
    """Say how far it is: one line that moves on a terminal, only its end elsewhere."""
    if sys.stdout.isatty():
        print(f"\r  {done:3} of {of} {what}", end="" if done < of else "\n", flush=True)
    elif done == of:
        print(f"  {done:3} of {of} {what}", flush=True)


def heading(text: str) -> None:
    """Begin a part of the story."""
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}", flush=True)


def found(api: Api, meaning: str, query: str) -> None:
    """Show a list request and the names that it finds."""
    nodes = api.call("GET", f"/nodes?{query}&fields=name&sort_key=name")["nodes"]
    names = [node["name"] for node in nodes]
    shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
    print(f"  {meaning}\n    GET /baremetal/v1/nodes?{query}\n    {len(names)}: {shown}")


# --- the story --------------------------------------------------------------------------------------------------------


def tell_story(api: Api) -> None:
    """Find, deploy, be refused, fail, and give back."""
    count_machines(api)
    find_by_trait(api)
    deploy_with_traits(api)
    fail_a_deploy(api)


def count_machines(api: Api) -> None:
    """How many there are of each class, and how many of them can be had now."""
    heading("The fleet")
    for kind, *_ in KINDS:
        nodes = api.call("GET", f"/nodes?resource_class={kind}&fields=provision_state,maintenance")["nodes"]
        ready = sum(node["provision_state"] == "available" and not node["maintenance"] for node in nodes)
        print(f"  {len(nodes):3} {kind:<8} {ready} can be had now")


def find_by_trait(api: Api) -> None:
    """The four filters, alone and together with others."""
    heading("Find machines by trait")
    found(api, "has all of these", "traits=CUSTOM_GPU_A100,CUSTOM_INFINIBAND")
    found(api, "has any of these", "traits-any=CUSTOM_GPU_A100,CUSTOM_GPU_H100")
    found(api, "has not all of these", "resource_class=gpu&not-traits=CUSTOM_GPU_H100,CUSTOM_INFINIBAND")
    found(api, "has none of these", "resource_class=storage&not-traits-any=CUSTOM_NVME,CUSTOM_GPU_A100")
    found(
        api,
        "together with other filters",
        "resource_class=compute&provision_state=available&maintenance=false&traits=HW_CPU_X86_AVX512F,CUSTOM_NVME",
    )


def deploy_with_traits(api: Api) -> None:
    """A deploy that asks for a trait which the machine lacks, and one that does not."""
    name = "r4-g01"
    heading(f"Deploy {name}, and insist on traits")
    for traits in (["CUSTOM_GPU_H100"], ["CUSTOM_GPU_A100"]):
        patch = [{"op": "add", "path": "/instance_info", "value": {"image_source": "debian-12", "traits": traits}}]
        api.call("PATCH", f"/nodes/{name}", patch)
        print(f"  instance_info/traits = {traits}, then deploy:")
        try:
            api.ask(name, "active")
        except Refused as refusal:
            print(f"    {refusal.status}: {refusal}")
        else:
            print(f"    {name} is {api.wait(name, 'active', 'deploy failed')['provision_state']}")
    api.ask(name, "deleted")
    print(f"  undeploy:\n    {name} is {api.wait(name, 'available')['provision_state']} again")


def fail_a_deploy(api: Api) -> None:
    """Fake hardware fails when it is told to, so that every path can be tried."""
    heading(f"A deploy that fails ({FAILING} is told to)")
    patch = [{"op": "add", "path": "/driver_info/fake_fail_deploy", "value": "no link on port 1"}]
    api.call("PATCH", f"/nodes/{FAILING}", patch)
    api.ask(FAILING, "active")
    node = api.wait(FAILING, "deploy failed", "active")
    print(f"  provision_state: {node['provision_state']}\n  last_error: {node['last_error']}")
    api.ask(FAILING, "deleted")
    print(f"  undeploy:\n    {FAILING} is {api.wait(FAILING, 'available')['provision_state']} again")
    api.call("PATCH", f"/nodes/{FAILING}", [{"op": "remove", "path": "/driver_info/fake_fail_deploy"}])


def say_what_to_try(api: Api, clouds_yaml: Path | None) -> None:
    """The commands that a reader can paste."""
    heading("Try it yourself")
    print(f"  curl -H 'X-OpenStack-Ironic-API-Version: 1.37' '{api.url}/baremetal/v1/nodes?traits=CUSTOM_NVME'")
    print("  pip install python-ironicclient")
    if clouds_yaml:
        print(f"  export OS_CLOUD=dibs OS_CLIENT_CONFIG_FILE={clouds_yaml}")
    else:
        print(f"  export OS_AUTH_TYPE=none OS_ENDPOINT={api.url}/baremetal")
    print("  baremetal node list --resource-class gpu --fields name provision_state traits")
    print("  baremetal node deploy r5-g02 --wait")
    print(f"  {api.url}/ shows what else there is; docs/tutorial.md goes on from here", flush=True)


# --- the server -------------------------------------------------------------------------------------------------------


@contextmanager
def own_server() -> Iterator[tuple[Api, Path]]:
    """A server on a free port with a database of its own, gone afterwards, and the clouds.yaml that it prints."""
    with tempfile.TemporaryDirectory(prefix="dibs-demo-") as folder:
        # Settings of the shell that runs the demo are not meant for this server.
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
                # Ctrl-C is for the demo, which then stops the server in its own time.
                start_new_session=True,
            )
        try:
            yield _announced(server, Path(folder))
        finally:
            server.terminate()
            server.wait()


def _announced(server: "subprocess.Popen[str]", folder: Path) -> tuple[Api, Path]:
    """Read what the server prints when it is ready."""
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
    """The whole demo."""
    heading(f"Enrolling 60 machines of fake hardware at {api.url}")
    enrol_fleet(api)
    tell_story(api)
    say_what_to_try(api, clouds_yaml)


def main() -> int:
    """Run the demo; the server stays until Ctrl-C when somebody is there to use it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stay", action="store_true", default=sys.stdout.isatty(), help="keep the server afterwards")
    stay = parser.parse_args().stay
    try:
        if url := os.environ.get("DIBS_URL"):
            run(Api(url.rstrip("/")), None)
            return 0
        with own_server() as (api, clouds_yaml):
            run(api, clouds_yaml)
            if stay:
                print("\nThe server stays until Ctrl-C; then it and its data are gone.", flush=True)
                while True:
                    time.sleep(3600)
    except KeyboardInterrupt:
        print()
    except (DemoFailed, Refused) as error:
        print(f"\nThe demo cannot go on: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
