"""The health of the store, and what keeps an SQLite file from being written."""

import os
import pwd
import resource
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from dibs.database import Store, health, open_store
from dibs.database.errors import StoreUnavailable
from dibs.database.migrate import upgrade
from dibs.ledger.queries import providers


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
