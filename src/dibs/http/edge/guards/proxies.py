"""Whose X-Forwarded headers to believe: scheme, host and address of the client behind a proxy."""

import ipaddress
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from msgspec import Struct

UNIX = "unix"
"""The address of every client of a unix socket."""

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Peer(NamedTuple):
    """The client of a request, as far as the connection and a trusted proxy tell."""

    address: str
    scheme: str
    host: str | None
    """The Host header, or what the proxy says that it was."""


class TrustedProxies(Struct, frozen=True):
    """The networks of proxies that set X-Forwarded-For, -Proto and -Host and remove those of their clients."""

    networks: tuple[_Network, ...] = ()
    unix: bool = False

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse addresses, networks and ``unix``, separated by commas; raise ValueError for anything else."""
        names = [part.strip() for part in text.split(",") if part.strip()]
        networks = tuple(ipaddress.ip_network(name) for name in names if name != UNIX)
        return cls(networks, UNIX in names)

    def trusts(self, address: str) -> bool:
        """Return True for the address of a trusted proxy."""
        if address == UNIX:
            return self.unix
        try:
            found = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return False
        return any(found in network for network in self.networks)

    def peer(self, scope: Mapping[str, Any], headers: Mapping[str, str]) -> Peer:
        """Return the client of a request."""
        address = scope["client"][0] if scope.get("client") else UNIX
        host = headers.get("host")
        if not (self.networks or self.unix) or not self.trusts(address):
            return Peer(address, scope["scheme"], host)
        scheme = headers.get("x-forwarded-proto", "").lower()
        return Peer(
            self._client_of(headers.get("x-forwarded-for", ""), address),
            scheme if scheme in ("http", "https") else scope["scheme"],
            headers.get("x-forwarded-host") or host,
        )

    def _client_of(self, forwarded: str, proxy: str) -> str:
        """Return the last address that no trusted proxy has: clients can write what is before it."""
        hops = [hop.strip() for hop in forwarded.split(",") if hop.strip()]
        return next((hop for hop in reversed(hops) if not self.trusts(hop)), proxy)
