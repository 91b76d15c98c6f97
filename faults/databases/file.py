"""An SQLite file, on a disk of its own that can be full."""

import contextlib
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from dibs.database.migrate import upgrade
from faults.plan import Fault

DISK_BYTES = 512 << 20


class File:
    """An SQLite database that two ``dibs serve`` share."""

    commands: Sequence[str] = ("serve", "serve")

    def __init__(self, folder: Path, *, own_disk: bool) -> None:
        self.disk = folder / "disk"
        self.disk.mkdir()
        self.mounted = own_disk
        if own_disk:
            self._mount(folder / "disk.image")
        self.direct_url = f"sqlite:///{self.disk / 'dibs.sqlite'}"
        upgrade(self.direct_url)

    def url(self, process: int) -> str:
        """Return the URL of the file."""
        return self.direct_url

    def broken(self, fault: Fault) -> contextlib.AbstractContextManager[None]:
        """Return the context in which the file cannot be written."""
        return self._read_only() if fault.kind == "read-only" else self._full()

    def recover(self) -> None:
        """Do nothing: each fault ends by itself."""

    def close(self) -> None:
        """Unmount the disk; the run removes the folder."""
        if self.mounted:
            subprocess.run(["umount", "--lazy", str(self.disk)], check=True)

    def _mount(self, image: Path) -> None:
        """Mount a small disk, which is a file; only root can."""
        with image.open("wb") as file:
            file.truncate(DISK_BYTES)
        environment = {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}
        subprocess.run(["mkfs.ext4", "-q", str(image)], check=True, env=environment)
        subprocess.run(["mount", "-o", "loop", str(image), str(self.disk)], check=True)

    @contextlib.contextmanager
    def _read_only(self) -> Iterator[None]:
        """Make the files immutable: processes that have them open cannot write either."""
        files = [str(path) for path in self.disk.glob("dibs.sqlite*")]
        subprocess.run(["chattr", "+i", *files], check=True)
        try:
            yield
        finally:
            subprocess.run(["chattr", "-i", *files], check=True)

    @contextlib.contextmanager
    def _full(self) -> Iterator[None]:
        """Fill the disk with a file."""
        ballast = self.disk / "ballast"
        left = os.statvfs(self.disk)
        try:
            with ballast.open("wb") as file, contextlib.suppress(OSError):
                os.posix_fallocate(file.fileno(), 0, left.f_bfree * left.f_frsize)
            # What the file system needs for itself is not known; the rest goes block by block.
            with ballast.open("ab") as file, contextlib.suppress(OSError):
                while True:
                    os.write(file.fileno(), bytes(left.f_frsize))
            yield
        finally:
            ballast.unlink()
