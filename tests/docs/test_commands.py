"""The commands in the documents succeed unchanged and in order against a fresh server, and print what is shown."""

import os
import re
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.bed import fast_commands
from tests.bed.dibs_server import DibsServer
from tests.clients.clouds import BIN, bare_environment
from tests.docs.pages import ROOT, Block, blocks_of, differences, script_of

ON_A_DATABASE = {"postgresql": "docs/howto/run-on-postgresql.md", "mariadb": "docs/howto/run-on-galera.md"}
"""Pages whose commands need an empty database of this engine instead of a server."""

ADDRESS = "http://127.0.0.1:8780"

FIRST = ("README.md", "docs/tutorial.md")
"""What a new user reads first; the other pages follow in alphabetical order."""


def runnable() -> dict[str, list[Block]]:
    """Return every page with blocks to run, in the order in which they run."""
    found = {path.relative_to(ROOT).as_posix(): blocks_of(path.read_text()) for path in (ROOT / "docs").rglob("*.md")}
    found["README.md"] = blocks_of((ROOT / "README.md").read_text())
    others = {page for page, blocks in found.items() if blocks} - set(FIRST) - set(ON_A_DATABASE.values())
    return {page: found[page] for page in (*FIRST, *sorted(others))}


def test_every_page_runs_after_those_before_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All pages use one server and one folder, as one reader does, so each page must leave nothing in the way."""
    server = DibsServer(f"sqlite:///{tmp_path}/docs.sqlite", tmp_path)
    server.start()
    # Stands for the virtual environment that `make serve` creates: its commands are on the path already.
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/activate").touch()
    environment = bare_environment() | {
        "PATH": f"{fast_commands.folder()}:{BIN}:{os.environ['PATH']}",
        "DIBS_BIND": f"127.0.0.1:{server.port}",
        "OS_CLOUD": "dibs",
        "OS_CLIENT_CONFIG_FILE": str(tmp_path / "clouds.yaml"),
        "HOME": str(tmp_path),
    }
    ran = shown = 0
    try:
        for page, blocks in runnable().items():
            script = script_of(blocks).replace(ADDRESS, server.url)
            trace = tmp_path / "trace"
            command = f"exec 7>{trace} 2>&1; BASH_XTRACEFD=7; set -x\n{script}"
            done = subprocess.run(
                ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600
            )
            commands = [line for line in trace.read_text().splitlines() if re.match(r"\+ (?!set |builtin )", line)]
            assert done.returncode == 0, f"{page}: {commands[-1:]}\n{done.stdout[-6_000:]}{done.stderr}"
            assert "HTTP 5" not in done.stdout, page
            wrong = differences(blocks, done.stdout.replace(server.url, ADDRESS))
            assert not wrong, f"{page}:\n" + "\n".join(wrong)
            ran += len(commands)
            shown += sum(block.shown is not None for block in blocks)
            leftovers = leftovers_on(server)
            assert leftovers == [], f"{page} leaves {leftovers}"
    finally:
        server.stop()
    with capsys.disabled():
        print(  # noqa: T201
            f"\n{ran} commands of {len(runnable())} pages succeeded in order; {shown} outputs are as shown"
        )


HEADERS = {"OpenStack-API-Version": "placement 1.39", "X-Auth-Token": "admin"}


def leftovers_on(server: DibsServer) -> list[str]:
    """Return the names of the nodes, allocations, hosts and leases that exist."""
    paths = {"/baremetal/v1/nodes": "nodes", "/dibs/v1/allocations": "allocations"}
    paths |= {"/reservation/v1/leases": "leases", "/reservation/v1/os-hosts": "hosts"}
    paths |= {"/placement/resource_providers": "resource_providers"}
    return [
        str(each.get("name") or each.get("hypervisor_hostname") or each["uuid"])
        for path, key in paths.items()
        for each in httpx.get(server.url + path, headers=HEADERS).json()[key]
    ]


def test_most_read_pages_have_blocks_to_run_and_show_their_output() -> None:
    """A code block in another form would be skipped without an error."""
    most_read = ("enrol-a-rack", "find-nodes-by-trait", "reserve-for-ci", "use-the-dibs-command")
    pages = runnable()
    for page in (*FIRST, *(f"docs/howto/{name}.md" for name in most_read)):
        assert sum(block.shown is not None for block in pages[page]) >= 2, page


@pytest.mark.every_engine
def test_database_commands_succeed_on_an_empty_database(
    engine_name: str, blank_database_url: str, tmp_path: Path
) -> None:
    page = ROOT / ON_A_DATABASE.get(engine_name, ON_A_DATABASE["postgresql"])
    blocks = blocks_of(page.read_text())
    environment = bare_environment() | {
        "PATH": f"{fast_commands.folder()}:{BIN}:{os.environ['PATH']}",
        "DIBS_DATABASE": blank_database_url,
    }
    done = subprocess.run(
        ["bash", "-c", script_of(blocks)], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "No problems found." in done.stdout.splitlines()
