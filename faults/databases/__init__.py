"""The databases of a run, and the ways in which each can be broken."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from faults.plan import Fault


class Database(Protocol):
    """A database with the schema of Dibs."""

    commands: Sequence[str]
    """The Dibs processes that use it."""

    @property
    def direct_url(self) -> str:
        """The URL of a server that works now, past every proxy; the checker reads from it."""

    def url(self, process: int) -> str:
        """Return the URL that a Dibs process gets, by its place in ``commands``."""

    def broken(self, fault: Fault) -> AbstractContextManager[None]:
        """Return the context in which a fault lasts."""

    def recover(self) -> None:
        """End every fault that still lasts, and wait until every server works."""

    def close(self) -> None:
        """Stop every server, and delete what they wrote."""


def open_database(engine: str, folder: Path, kinds: Sequence[str]) -> Database:
    """Start the servers of an engine, and create the tables; ``kinds`` are the faults that will come."""
    if engine == "sqlite":
        from faults.databases.file import File

        return File(folder, own_disk="full-disk" in kinds)
    if engine == "galera":
        from faults.databases.galera import Galera

        return Galera()
    if engine == "patroni":
        from faults.databases.patroni import Patroni

        return Patroni()
    from faults.databases.server import Server

    return Server(engine)
