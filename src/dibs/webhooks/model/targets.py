"""Which addresses webhooks may reach.

The users of a project choose the URLs, and a conductor posts to them from within the site's network. So it connects to
public addresses only, and to those networks that the operator allows.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from dibs.errors import BadValue

Address = IPv4Address | IPv6Address
URL_LENGTH_MAX = 1_000


class TargetRules(Struct, frozen=True):
    """The networks that webhooks may reach besides public addresses."""

    networks: tuple[IPv4Network | IPv6Network, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "TargetRules":
        """Read networks separated by commas; raise ValueError for anything else."""
        return cls(tuple(ip_network(part.strip()) for part in text.split(",") if part.strip()))

    def allow(self, address: Address) -> bool:
        """Return True for an address that webhooks may reach."""
        mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
        if mapped is not None:
            return self.allow(mapped)
        if any(address in network for network in self.networks):
            return True
        return address.is_global and not address.is_multicast

    def check(self, url: str) -> None:
        """Raise BadValue for a URL that cannot be a target; names are looked up when a message is sent."""
        parts = _split(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadValue(reason="The URL of a webhook must begin with http:// or https:// and name a host.")
        if parts.username is not None or parts.password is not None or parts.fragment:
            raise BadValue(reason="The URL of a webhook must have neither a user, nor a password, nor a fragment.")
        if not url.isascii() or not url.isprintable() or " " in url:
            raise BadValue(reason="The URL of a webhook must have only printable ASCII characters and no blanks.")
        try:
            address = ip_address(parts.hostname)
        except ValueError:
            return
        if not self.allow(address):
            raise BadValue(reason=refusal(parts.hostname, [address]))


def refusal(host: str, addresses: Sequence[Address]) -> str:
    """Return why no message is sent to a host."""
    found = ", ".join(str(address) for address in addresses)
    return f"{host} is no public address ({found}), and the operator does not allow its network (webhook_networks)."


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise BadValue(reason=f"The URL of a webhook is not valid: {error}.") from None
    return parts
