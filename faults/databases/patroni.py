"""A PostgreSQL cluster of three members under Patroni, with synchronous replication."""

import contextlib
from collections.abc import Iterator, Sequence

from dibs.database.migrate import upgrade
from faults.databases.proxied import Proxied
from faults.plan import Fault
from tests.bed.patroni import PatroniCluster, PatroniMember


class Patroni(Proxied):
    """Three members, with two APIs and two conductors, which look for the leader themselves."""

    commands: Sequence[str] = ("api", "api", "conductor", "conductor")

    def __init__(self) -> None:
        self.cluster = PatroniCluster()
        self.cluster.leader().address.execute("CREATE DATABASE faults")
        upgrade(self.cluster.url("faults"))
        super().__init__([member.address.port for member in self.cluster.members])
        self.breaks |= {
            "kill-leader": self._leader_killed,
            "freeze-leader": self._leader_frozen,
            "isolate-leader": self._leader_isolated,
            "switch-over": self._switched_over,
            "kill-member": self._killed,
            "freeze-member": self._frozen,
        }

    @property
    def direct_url(self) -> str:
        """The URL of the leader."""
        return self.cluster.leader().address.url("faults")

    def url(self, process: int) -> str:
        """Return a URL with the proxies of all members, the first of which is another one for each process."""
        return f"postgresql://dibs@{self.hosts(process)}/faults"

    def recover(self) -> None:
        """Start the members that have ended, and wait for a leader whose commits another member has."""
        for proxy in self.proxies:
            proxy.forward()
        for member in self.cluster.members:
            member.thaw()
            member.etcd.forward()
            member.start()
        self.cluster.wait_until_healthy()

    def close(self) -> None:
        """Stop every member and delete what they wrote."""
        self.close_proxies()
        self.cluster.remove()

    def _member(self, fault: Fault) -> PatroniMember:
        return self.cluster.members[fault.target % len(self.cluster.members)]

    @contextlib.contextmanager
    def _leader_killed(self, _: Fault) -> Iterator[None]:
        """Kill the leader, which starts again when another member has taken its place."""
        leader = self.cluster.leader()
        leader.kill()
        yield
        self.cluster.wait_for_another_leader(leader)
        self.recover()

    @contextlib.contextmanager
    def _leader_frozen(self, _: Fault) -> Iterator[None]:
        """Freeze the leader until it is replaced, then kill it, as the watchdog of its machine does."""
        leader = self.cluster.leader()
        leader.freeze()
        yield
        self.cluster.wait_for_another_leader(leader)
        leader.kill()
        self.recover()

    @contextlib.contextmanager
    def _leader_isolated(self, _: Fault) -> Iterator[None]:
        """Cut the leader off from etcd until it has given up and another member has taken its place."""
        leader = self.cluster.leader()
        leader.etcd.swallow()
        yield
        self.cluster.wait_for_another_leader(leader)
        leader.etcd.cut()
        self.recover()

    @contextlib.contextmanager
    def _switched_over(self, _: Fault) -> Iterator[None]:
        """Change the leader in an orderly way."""
        leader = self.cluster.leader()
        self.cluster.switch_over()
        yield
        self.cluster.wait_for_another_leader(leader)
        self.recover()

    @contextlib.contextmanager
    def _killed(self, fault: Fault) -> Iterator[None]:
        """Kill any member, which starts again at once: a leader keeps its place."""
        self._member(fault).kill()
        yield
        self.recover()

    @contextlib.contextmanager
    def _frozen(self, fault: Fault) -> Iterator[None]:
        """Freeze any member for less time than a leader may be silent."""
        self._member(fault).freeze()
        yield
        self.recover()
