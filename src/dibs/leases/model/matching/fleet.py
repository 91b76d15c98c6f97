"""All hosts of a search, with those that are alike together."""

from collections.abc import Iterable, Sequence

from dibs.leases.model.hosts import Host

DISTINCT = frozenset({"id", "hypervisor_hostname", "service_name"})
"""The attributes in which hosts that are alike differ."""


class Fleet:
    """Hosts by kind. Hosts of one kind differ in nothing but their names, ids and bookings.

    A fleet of thousands of hosts has a few kinds, so a search looks at each kind once, and at the booked hosts.
    """

    def __init__(self, kinds: Iterable[Sequence[Host]]) -> None:
        self.kinds = tuple(kinds)
        self.hosts = {
            host.id: host for host in sorted((host for kind in self.kinds for host in kind), key=lambda each: each.id)
        }
        self.kind_of = {host.id: number for number, kind in enumerate(self.kinds) for host in kind}
        """The place of the kind of each host."""


def each_alone(hosts: Iterable[Host]) -> Fleet:
    """Return a fleet in which no hosts are known to be alike: for a few hosts that is cheaper than to compare them."""
    return Fleet([host] for host in hosts)
