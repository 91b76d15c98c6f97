"""Parse a bind address, and open and close its listening socket: a host and port, or a unix socket."""

import contextlib
import ipaddress
import os
import socket
import stat

from msgspec import Struct

_BACKLOG = 2048
_SOCKET_MODE = 0o660


class BindError(Exception):
    """The address cannot be used; the message says why."""


class Address(Struct, frozen=True):
    """A parsed bind address: either ``path`` or ``host`` and ``port``."""

    host: str = ""
    port: int = 0
    path: str = ""

    def __str__(self) -> str:
        if self.path:
            return f"unix:{self.path}"
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def url(self, tls: bool) -> str:
        """Return the URL for clients; on a unix socket the host name is irrelevant."""
        scheme = "https" if tls else "http"
        if self.path:
            return f"{scheme}://localhost"
        everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}
        return f"{scheme}://{Address(everywhere.get(self.host, self.host), self.port)}"


def parse_address(text: str) -> Address:
    """Parse ``HOST:PORT``, ``[IPV6]:PORT`` or ``unix:/path``; raise ValueError for anything else."""
    if text.startswith("unix:"):
        if not text.removeprefix("unix:"):
            raise ValueError("unix: needs a path")
        return Address(path=text.removeprefix("unix:"))
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise ValueError("must be HOST:PORT or unix:/path")
    return Address(host.removeprefix("[").removesuffix("]"), int(port))


def is_loopback(address: Address) -> bool:
    """Return True when only this machine can connect: 127.0.0.0/8, ::1 or a unix socket."""
    if address.path:
        return True
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except OSError:
        return False
    return all(ipaddress.ip_address(str(entry[4][0]).partition("%")[0]).is_loopback for entry in found)


def open_socket(address: Address) -> socket.socket:
    """Return a listening socket that child processes inherit."""
    try:
        return _open_unix(address.path) if address.path else _open_tcp(address)
    except OSError as error:
        raise BindError(f"Cannot listen on {address}: {error.strerror or error}.") from error


def close_socket(sock: socket.socket, address: Address) -> None:
    """Close the socket and remove its file, if any."""
    sock.close()
    if address.path:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(address.path)


def bound_address(sock: socket.socket, address: Address) -> Address:
    """Return the address with the real port, which the system chose for port 0."""
    return address if address.path else Address(address.host, sock.getsockname()[1])


def _open_tcp(address: Address) -> socket.socket:
    family, _, _, _, where = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)[0]
    return _listen(socket.socket(family, socket.SOCK_STREAM), where)


def _open_unix(path: str) -> socket.socket:
    _remove_stale(path)
    # The umask sets the mode at creation: a chmod afterwards would leave a moment in which every user can connect.
    previous = os.umask(0o777 & ~_SOCKET_MODE)
    try:
        return _listen(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM), path)
    finally:
        os.umask(previous)


def _listen(sock: socket.socket, where: object) -> socket.socket:
    try:
        if sock.family != socket.AF_UNIX:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(where)  # type: ignore[arg-type]
        sock.listen(_BACKLOG)
        sock.set_inheritable(True)
    except OSError:
        sock.close()
        raise
    return sock


def _remove_stale(path: str) -> None:
    """Remove the socket file of a dead server. A live socket or another file stays, and binding fails."""
    try:
        if not stat.S_ISSOCK(os.stat(path).st_mode):
            return
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
