"""``make demo``: enroll 60 fake machines, then ask which one you may have, and when; print the requests.

The demo starts its own server on a free port with a temporary database, or uses the server at DIBS_URL, which must
accept requests without credentials. It needs Dibs only: all requests are plain HTTP.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from demo_api import Api, DemoFailed, Refused
from demo_fleet import fleet
from demo_output import heading, progress
from demo_story import print_suggestions, run_sections
from demo_week import fill_week

BROKEN = "r2-c05"


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
    if clouds_yaml:
        # A server of the user's own keeps its machines and hosts as they are.
        fill_week(api)
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
                print(
                    f"\nThe console stays open at {api.url}/ until Ctrl-C, which removes the server and its data.",
                    flush=True,
                )
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
