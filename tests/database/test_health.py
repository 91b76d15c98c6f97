"""The health of the store: whatever keeps it from being written is reported, and recovery is noticed."""

import os
import pwd
import resource
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from dibs.database import Store, health, open_store
from dibs.database.engines import timeouts
from dibs.database.errors import StoreUnavailable
from dibs.database.migrate import upgrade
from dibs.database.schema import WRITE_PROBES
from dibs.ledger.queries import providers
from tests.bed.addresses import MariadbAddress
from tests.bed.mariadb import MariadbServer
from tests.bed.postgresql import PostgresqlServer, binaries
from tests.bed.session import Bed
from tests.bed.waiting import eventually

Server = PostgresqlServer | MariadbServer


@pytest.fixture
def path() -> Iterator[Path]:
    """A migrated SQLite file, in a process that is not root: root may write a read-only file."""
    folder = Path(tempfile.mkdtemp(prefix="dibs-health-"))
    user = os.geteuid()
    if user == 0:
        nobody = pwd.getpwnam("nobody").pw_uid
        os.chown(folder, nobody, -1)
        os.seteuid(nobody)
    try:
        upgrade(f"sqlite:///{folder}/ledger.sqlite")
        yield folder / "ledger.sqlite"
    finally:
        os.seteuid(user)
        shutil.rmtree(folder)


def add_provider(store: Store) -> int:
    return store.write(lambda tx: providers.insert_provider(tx, str(uuid.uuid4()), str(uuid.uuid4()), 1))


def test_store_is_healthy(store: Store) -> None:
    assert health.problems(store) == []


def test_read_only_file_is_reported_and_used_again_when_it_is_writable(path: Path) -> None:
    path.chmod(0o400)
    store = open_store(f"sqlite:///{path}")
    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            add_provider(store)
        assert store.read(lambda tx: providers.get(tx, str(uuid.uuid4()))) is None
        assert health.problems(store)
    path.chmod(0o600)
    assert health.problems(store) == []
    assert add_provider(store)
    store.close()


def test_full_disk_is_reported_until_there_is_space(path: Path) -> None:
    store = open_store(f"sqlite:///{path}")
    assert health.problems(store) == []
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(StoreUnavailable):
            add_provider(store)
        found = health.problems(store)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert found
    assert health.problems(store) == []
    assert add_provider(store)
    store.close()


def test_check_leaves_nothing_behind(store: Store) -> None:
    health.problems(store)
    assert store.read(lambda tx: tx.rows(WRITE_PROBES.select())) == []


class Standby(PostgresqlServer):
    """A standby of another server: it can be read and not written, until it is promoted."""

    def __init__(self, primary: PostgresqlServer) -> None:
        self.primary = primary
        super().__init__()

    def make_data(self) -> None:
        source = f"--dbname=postgresql://dibs@127.0.0.1:{self.primary.address.port}/"
        folder = f"--pgdata={self.data}"
        self.run_tool(str(binaries() / "pg_basebackup"), source, folder, "--write-recovery-conf", "--checkpoint=fast")


@pytest.mark.needs_engine("postgresql")
def test_standby_and_missing_quorum_of_postgresql_are_reported_until_they_end(
    database_server: Callable[[str], Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    primary = database_server("postgresql")
    primary.address.execute("CREATE DATABASE one", "ALTER DATABASE one SET synchronous_commit = on")
    upgrade(primary.address.url("one"))
    standby = Standby(primary)
    try:
        assert_reported(open_store(standby.address.url("one")), until_promoted(standby))
    finally:
        standby.remove()
    monkeypatch.setattr(timeouts, "ANSWER_SECONDS", 1)
    assert_reported(open_store(primary.address.url("one")), without_quorum(primary))


@contextmanager
def until_promoted(standby: Standby) -> Iterator[None]:
    yield
    standby.address.execute("SELECT pg_promote()")


@contextmanager
def without_quorum(primary: Server) -> Iterator[None]:
    """A commit waits for a synchronous standby that does not exist."""
    primary.address.execute("ALTER SYSTEM SET synchronous_standby_names = 'gone'", "SELECT pg_reload_conf()")
    yield
    primary.address.execute("ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")


@pytest.mark.needs_engine("mariadb")
def test_read_only_mariadb_is_reported_until_it_can_be_written(bed: Bed) -> None:
    url = bed.databases("mariadb").fresh()
    address = bed.databases("mariadb").server
    name = url.rpartition("/")[2]
    # read_only does not bind the account of the other tests, which has all privileges.
    address.execute(f"CREATE USER {name}@'127.0.0.1'", f"GRANT ALL ON {name}.* TO {name}@'127.0.0.1'")
    store = open_store(url.replace("//dibs@", f"//{name}@"))
    assert health.problems(store) == []
    assert_reported(store, read_only(address))
    bed.databases("mariadb").discard(url)


@contextmanager
def read_only(address: MariadbAddress) -> Iterator[None]:
    address.execute("SET GLOBAL read_only = 1")
    try:
        yield
    finally:
        address.execute("SET GLOBAL read_only = 0")


def assert_reported(store: Store, trouble: AbstractContextManager[None]) -> None:
    """The trouble is reported while it lasts and keeps the store from being written; then nothing is reported."""
    with trouble:
        eventually(lambda: health.problems(store) != [], what="a problem")
        with pytest.raises(StoreUnavailable):
            add_provider(store)
    eventually(lambda: health.problems(store) == [], what="recovery")
    assert add_provider(store)
    store.close()


@pytest.fixture
def small_disk() -> Iterator[Callable[[Path, str], None]]:
    """Mount a disk of 24 MiB on a folder that a user owns."""
    mounted: list[Path] = []

    def mount(folder: Path, user: str) -> None:
        options = f"size=24m,mode=700,uid={pwd.getpwnam(user).pw_uid}"
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", str(folder)], capture_output=True)
        if done.returncode:
            pytest.skip("this account cannot mount a disk")
        mounted.append(folder)

    yield mount
    for folder in mounted:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.server_engines
def test_full_disk_of_a_server_is_reported_until_there_is_space(
    database_server: Callable[[str], Server],
    small_disk: Callable[[Path, str], None],
    engine_name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = database_server(engine_name)
    if engine_name == "postgresql":
        disk = server.folder / "disk"
        disk.mkdir()
        small_disk(disk, server.user)
        server.address.execute(f"CREATE TABLESPACE small LOCATION '{disk}'", "CREATE DATABASE one TABLESPACE small")
    else:
        server.address.execute("CREATE DATABASE one")
        disk = server.data / "one"
        small_disk(disk, server.user)
    upgrade(server.address.url("one"))
    store = open_store(server.address.url("one"))
    assert health.problems(store) == []
    fill(disk)
    with pytest.raises(StoreUnavailable):
        for _ in range(20_000):
            add_provider(store)
    assert "its disk is full" in health.problems(store)[-1]
    (disk / "filler").unlink()
    monkeypatch.setattr(health, "FULL_SECONDS", 0)
    assert health.problems(store) == []
    assert add_provider(store)
    store.close()


def fill(disk: Path) -> None:
    """Write a file until no byte is left."""
    with (disk / "filler").open("wb", buffering=0) as filler, pytest.raises(OSError, match="No space left"):
        while True:
            filler.write(bytes(4096))
