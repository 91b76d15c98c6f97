"""The commands in the documents succeed unchanged and in order against a fresh server."""

import os
import re
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.bed import fast_commands
from tests.bed.dibs_server import DibsServer
from tests.clients.clouds import BIN, bare_environment

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```(sh|sh fails|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def script_of(document: str) -> str:
    """Return all runnable blocks as one shell script; a block marked ``sh fails`` must fail."""
    parts = ["set -euo pipefail"]
    for kind, text in _BLOCK.findall((ROOT / document).read_text()):
        if kind == "python":
            parts.append(f"python <<'END'\n{text}END")
        else:
            parts.append(f"if {text.strip()}; then exit 99; fi" if kind == "sh fails" else text)
    return "\n".join(parts)


ON_A_DATABASE = {"postgresql": "docs/howto/run-on-postgresql.md", "mariadb": "docs/howto/run-on-galera.md"}
"""Pages whose commands need an empty database of this engine instead of a server."""

FIRST = ("README.md", "docs/tutorial.md")
"""What a new user reads first; the other pages follow in alphabetical order."""


def runnable() -> list[str]:
    """Return every page with a block to run, in the order in which they run."""
    pages = {path.relative_to(ROOT).as_posix(): path.read_text() for path in (ROOT / "docs").rglob("*.md")}
    found = {page for page, text in pages.items() if _BLOCK.search(text)}
    return [*FIRST, *sorted(found - set(FIRST) - set(ON_A_DATABASE.values()))]


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
    ran = 0
    try:
        for page in runnable():
            script = script_of(page).replace("http://127.0.0.1:8780", server.url)
            trace = tmp_path / "trace"
            command = f"exec 7>{trace}; BASH_XTRACEFD=7; set -x\n{script}"
            done = subprocess.run(
                ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600
            )
            commands = [line for line in trace.read_text().splitlines() if re.match(r"\+ (?!set )", line)]
            assert done.returncode == 0, f"{page}: {commands[-1:]}\n{done.stdout[-2_000:]}{done.stderr[-4_000:]}"
            assert "HTTP 5" not in done.stderr, page
            ran += len(commands)
            leftovers = leftovers_on(server)
            assert leftovers == [], f"{page} leaves {leftovers}"
    finally:
        server.stop()
    with capsys.disabled():
        print(  # noqa: T201
            f"\n{ran} commands of {len(runnable())} pages succeeded in the order of the pages"
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


def test_tutorial_and_howtos_have_blocks_to_run() -> None:
    """A code block in another form would be skipped without an error."""
    assert {"docs/howto/enrol-a-rack.md", "docs/howto/reserve-for-ci.md"} <= set(runnable())


@pytest.mark.every_engine
def test_database_commands_succeed_on_an_empty_database(
    engine_name: str, blank_database_url: str, tmp_path: Path
) -> None:
    document = ON_A_DATABASE.get(engine_name, ON_A_DATABASE["postgresql"])
    environment = bare_environment() | {
        "PATH": f"{fast_commands.folder()}:{BIN}:{os.environ['PATH']}",
        "DIBS_DATABASE": blank_database_url,
    }
    done = subprocess.run(
        ["bash", "-c", script_of(document)], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "No problems found."
