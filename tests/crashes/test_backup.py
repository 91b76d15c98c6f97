"""The commands of docs/operations/backup.md make a consistent copy of a database that is being written."""

import os
import re
import subprocess
import threading
from pathlib import Path

import pytest
from sqlalchemy import make_url

from dibs.database import Store
from dibs.errors import DibsError
from tests.bed import fast_commands
from tests.bed.session import Bed
from tests.bed.waiting import eventually
from tests.builders import Ledger
from tests.clients.clouds import BIN, bare_environment
from tests.provider_builders import claim, make

PAGE = (Path(__file__).parents[2] / "docs/operations/backup.md").read_text()
HEADINGS = {"sqlite": "## SQLite", "postgresql": "## PostgreSQL", "mariadb": "## MariaDB and Galera"}


@pytest.fixture
def restored_url(bed: Bed, engine_name: str):
    """The URL of an empty database."""
    url = bed.databases(engine_name).blank()
    yield url
    bed.databases(engine_name).discard(url)


def script_for(engine: str, source: str, target: str) -> str:
    """Return the commands of the page, with the names of these databases."""
    block = re.search(r"```bash\n(.*?)```", PAGE.partition(HEADINGS[engine])[2], re.DOTALL)
    assert block is not None
    used, restored = make_url(source).database, make_url(target).database
    if engine == "sqlite":
        names = {"sqlite:///restored.sqlite": target, " restored.sqlite": f" {restored}", " dibs.sqlite": f" {used}"}
    else:
        names = {
            "=restored ": f"={restored} ",
            " restored ": f" {restored} ",
            " dibs >": f" {used} >",
            " dibs\n": f" {used}\n",
        }
    script = block[1]
    for name, actual in names.items():
        script = script.replace(name, actual)
    return script


def environment_for(url: str, target: str, home: Path) -> dict[str, str]:
    """Return the variables and files by which the tools of an engine find its server."""
    parsed = make_url(url)
    (home / ".my.cnf").write_text(f"[client]\nhost={parsed.host}\nport={parsed.port}\nuser={parsed.username}\n")
    postgresql = {"PGHOST": str(parsed.host), "PGPORT": str(parsed.port), "PGUSER": str(parsed.username)}
    path = f"{fast_commands.folder()}:{BIN}:{os.environ['PATH']}"
    return bare_environment() | postgresql | {"HOME": str(home), "PATH": path, "RESTORED": target}


def test_backup_under_load_keeps_every_law(
    store: Store, database_url: str, restored_url: str, engine_name: str, tmp_path: Path
) -> None:
    ledger = Ledger(store)
    providers = [make(ledger, VCPU=1_000_000) for _ in range(3)]
    stop, written = threading.Event(), []

    def write() -> None:
        # The pause leaves most of the machine to the backup; some hundred claims are written meanwhile.
        while not stop.wait(0.02):
            try:
                written.append(claim(ledger, providers[len(written) % 3], VCPU=1))
            except DibsError:  # The database was too busy for one of the claims.
                continue

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    try:
        eventually(lambda: len(written) > 20)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script_for(engine_name, database_url, restored_url)],
            cwd=tmp_path,
            env=environment_for(database_url, restored_url, tmp_path),
            capture_output=True,
            text=True,
            timeout=300,
        )
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("No violations found.\n")
