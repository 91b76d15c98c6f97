"""A Galera cluster of three nodes."""

import contextlib
from collections.abc import Iterator, Sequence

from dibs.database.migrate import upgrade
from faults.databases.proxied import Proxied
from faults.plan import Fault
from tests.bed.galera import GaleraCluster, GaleraNode


class Galera(Proxied):
    """Three nodes, with two APIs and two conductors, each of which begins at another node."""

    commands: Sequence[str] = ("api", "api", "conductor", "conductor")

    def __init__(self) -> None:
        self.cluster = GaleraCluster()
        self.cluster.execute("CREATE DATABASE faults")
        upgrade(self.cluster.url("faults"))
        super().__init__([node.address.port for node in self.cluster.nodes])
        self.breaks |= {
            "kill-node": self._killed,
            "freeze-node": self._frozen,
            "evict-node": self._frozen,
            "isolate-node": self._isolated,
            "restart-cluster": self._all_killed,
        }

    @property
    def direct_url(self) -> str:
        """The URL of a node that is synchronized."""
        ready = next(node for node in self.cluster.nodes if node.is_ready())
        return ready.address.url("faults")

    def url(self, process: int) -> str:
        """Return a URL with the proxies of all nodes, the first of which is another one for each process."""
        return f"mariadb://dibs@{self.hosts(process)}/faults"

    def recover(self) -> None:
        """Start the nodes that have ended, and wait until all are synchronized."""
        for proxy in self.proxies:
            proxy.forward()
        for node in self.cluster.nodes:
            node.thaw()
        self.cluster.start()
        for node in self.cluster.nodes:
            node.wait_until_ready()

    def close(self) -> None:
        """Stop every node and delete what they wrote."""
        self.close_proxies()
        self.cluster.remove()

    def _node(self, fault: Fault) -> GaleraNode:
        return self.cluster.nodes[fault.target % len(self.cluster.nodes)]

    @contextlib.contextmanager
    def _killed(self, fault: Fault) -> Iterator[None]:
        self._node(fault).kill()
        yield
        self._node(fault).start()

    @contextlib.contextmanager
    def _frozen(self, fault: Fault) -> Iterator[None]:
        self._node(fault).freeze()
        yield
        self._node(fault).thaw()
        self.recover()

    @contextlib.contextmanager
    def _isolated(self, fault: Fault) -> Iterator[None]:
        self._node(fault).isolate()
        yield
        self._node(fault).rejoin()
        self.recover()

    @contextlib.contextmanager
    def _all_killed(self, _: Fault) -> Iterator[None]:
        self.cluster.kill()
        yield
        self.cluster.start()
