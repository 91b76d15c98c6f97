"""The commands in the documents succeed unchanged and in order against a fresh server."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.bed import fast_commands
from tests.bed.dibs_server import DibsServer
from tests.clients.clouds import BIN, bare_environment

DOCS = Path(__file__).parents[2] / "docs"
_BLOCK = re.compile(r"^```(sh|sh fails|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def script_of(document: str) -> str:
    """Return all runnable blocks as one shell script; a block marked ``sh fails`` must fail."""
    parts = ["set -euo pipefail"]
    for kind, text in _BLOCK.findall((DOCS / document).read_text()):
        if kind == "python":
            parts.append(f"python <<'END'\n{text}END")
        else:
            parts.append(f"if {text.strip()}; then exit 99; fi" if kind == "sh fails" else text)
    return "\n".join(parts)


ON_A_DATABASE = {"postgresql": "howto/run-on-postgresql.md", "mariadb": "howto/run-on-galera.md"}
"""Pages whose commands need an empty database of this engine instead of a server."""


def runnable() -> list[str]:
    """Return every page with a block to run."""
    pages = {path.relative_to(DOCS).as_posix(): path.read_text() for path in DOCS.rglob("*.md")}
    found = [page for page, text in pages.items() if _BLOCK.search(text)]
    return sorted(set(found) - set(ON_A_DATABASE.values()))


@pytest.mark.parametrize("document", runnable())
def test_commands_of_a_document_succeed(document: str, tmp_path: Path) -> None:
    server = DibsServer(f"sqlite:///{tmp_path}/docs.sqlite", tmp_path)
    server.start()
    try:
        environment = bare_environment() | {
            "PATH": f"{fast_commands.folder()}:{BIN}:{os.environ['PATH']}",
            "DIBS_BIND": f"127.0.0.1:{server.port}",
            "OS_CLOUD": "dibs",
            "OS_CLIENT_CONFIG_FILE": str(tmp_path / "clouds.yaml"),
        }
        begin = "dibs clouds-yaml > clouds.yaml\n"
        script = begin + script_of(document).replace("http://127.0.0.1:8780", server.url)
        done = subprocess.run(
            ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
        )
    finally:
        server.stop()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "HTTP 5" not in done.stderr


def test_tutorial_and_howtos_have_blocks_to_run() -> None:
    """A code block in another form would be skipped without an error."""
    assert {"tutorial.md", "howto/enrol-a-rack.md", "howto/reserve-for-ci.md"} <= set(runnable())


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
