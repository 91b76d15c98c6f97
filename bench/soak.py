"""Attack one server for a minute: ``python -m bench.soak [--seconds 60] [--attack NAME]``.

A well-behaved client reads and writes all the time, and a lease that begins at once is created every second. The
client's p99 and the lateness of the conductor, which starts the leases, must stay within ten times their figures
without attacks. Prints PASS or FAIL, and exits with 1 after FAIL.
"""

import argparse
import json
import multiprocessing
import socket
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from typing import Any

from bench.attacks import ATTACKS, MEMBER, WITHOUT_ROLE, Target, attack, connect, encode
from bench.load import ask
from dibs.database import open_store
from dibs.http.auth.basic import format_line
from dibs.leases.operations.leases import create_lease
from dibs.leases.operations.planning import CreateLease
from dibs.wiring.hooks import build_runner
from tests.bed.dibs_server import DibsServer
from tests.bed.session import Bed
from tests.builders import Ledger
from tests.fleet import fill, uuid_of
from tests.lease_builders import HOUR, OWNER, make_host, whole

FACTOR_MAX = 10
NODES = 1_000
HOSTS = 500
LEASES = 200
PAUSE_SECONDS = 0.02
END_SECONDS = 10
"""Time for an attacker to report what it got."""
ROOT = ("root", "secret-of-root")
OLGA = ("olga", "secret-of-olga")
_V1 = "/baremetal/v1"


@dataclass
class Figures:
    """What the well-behaved client measured, in seconds."""

    answers: list[float] = field(default_factory=list)
    lateness: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @property
    def p99(self) -> float:
        """The p99 of the client."""
        return sorted(self.answers)[int(len(self.answers) * 0.99)]

    @property
    def latest(self) -> float:
        """The longest time from the request for a lease that begins at once to its start."""
        return max(self.lateness)

    def __str__(self) -> str:
        return (
            f"{len(self.answers):>5} answers, p99 {self.p99 * 1_000:>8.1f} ms; {len(self.lateness):>3} leases started,"
            f" the latest after {self.latest * 1_000:>8.1f} ms; {len(self.failures)} refusals"
        )


class Client:
    """A client with one connection, which it opens again after a failure."""

    def __init__(self, port: int, figures: Figures) -> None:
        self._target = Target(port, 0)
        self._figures = figures
        self._connection: socket.socket | None = None

    def ask(self, request: bytes) -> Any:
        """Return the document of the answer; None after a refusal or without an answer, which count as failures."""
        try:
            self._connection = self._connection or connect(self._target, "127.0.0.1")
            status, body = ask(self._connection, request)
        except OSError as error:
            self._figures.failures.append(f"no answer: {error}")
            self._connection = None
            return None
        if status >= 300:
            self._figures.failures.append(f"{status} {body[:200]!r}")
            return None
        return json.loads(body or b"null")


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="soak", description="Attack one Dibs and measure another client.")
    parser.add_argument("--engine", default="sqlite", help="database engine")
    parser.add_argument("--seconds", type=float, default=60.0, help="duration of the attacks")
    parser.add_argument("--attack", action="append", choices=list(ATTACKS), help="only this attack (repeatable)")
    arguments = parser.parse_args()
    bed = Bed()
    try:
        return soak(bed, arguments.engine, arguments.seconds, arguments.attack or list(ATTACKS))
    finally:
        bed.close()


def soak(bed: Bed, engine: str, seconds: float, attacks: Sequence[str]) -> int:
    """Measure without and with attacks; return the exit status."""
    url = bed.databases(engine).fresh()
    _fill(url)
    server = DibsServer(url, bed.folder, "--auth-file", _users(bed.folder), auth="http_basic")
    server.start()
    try:
        _measure(server, 2)
        # As long as the attacks: the latest start of more leases is later.
        quiet = _measure(server, seconds)
        print(f"quiet:    {quiet}", flush=True)
        attacked = _attacked(server, seconds, attacks)
        print(f"attacked: {attacked} ({', '.join(attacks)}); {_resident_megabytes(server.pid)} MB resident at most")
    finally:
        server.stop()
    return _verdict(quiet, attacked)


def _verdict(quiet: Figures, attacked: Figures) -> int:
    ratios = {
        "p99 of the client": attacked.p99 / quiet.p99,
        "lateness of the conductor": attacked.latest / quiet.latest,
    }
    for failure in attacked.failures[:3]:
        print(f"refused: {failure}")
    for name, ratio in ratios.items():
        print(f"{name}: {ratio:.1f} times the quiet figure, {FACTOR_MAX} allowed")
    passed = not attacked.failures and all(ratio <= FACTOR_MAX for ratio in ratios.values())
    print("PASS" if passed else "FAIL")
    return 0 if passed else 1


def _attacked(server: DibsServer, seconds: float, attacks: Sequence[str]) -> Figures:
    spawn = multiprocessing.get_context("spawn")
    results: SimpleQueue[str] = spawn.SimpleQueue()
    start = spawn.Barrier(len(attacks) + 1)
    processes = [
        spawn.Process(target=attack, args=(name, server.port, seconds + 2, start, results), daemon=True)
        for name in attacks
    ]
    for process in processes:
        process.start()
    start.wait()
    time.sleep(2)
    figures = _measure(server, seconds)
    for process in processes:
        process.join(END_SECONDS)
        process.kill()
    while not results.empty():
        print(f"attackers got: {results.get()}")
    return figures


def _measure(server: DibsServer, seconds: float) -> Figures:
    """Run the client and the watch on the conductor side by side."""
    figures, until = Figures(), time.monotonic() + seconds
    threads = [
        threading.Thread(target=_use, args=(server.port, until, figures)),
        threading.Thread(target=_watch_conductor, args=(server.port, until, figures)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return figures


def _use(port: int, until: float, figures: Figures) -> None:
    """Read a node, a page of nodes, and change a node, in turn."""
    client = Client(port, figures)
    turn = 0
    while time.monotonic() < until:
        node = f"{_V1}/nodes/{uuid_of(turn % NODES)}"
        requests = (
            encode("GET", node, ROOT),
            encode("GET", f"{_V1}/nodes?limit=100", ROOT),
            encode("PATCH", node, ROOT, [{"op": "add", "path": "/extra/turn", "value": turn}]),
        )
        began = time.perf_counter()
        client.ask(requests[turn % 3])
        figures.answers.append(time.perf_counter() - began)
        turn += 1
        time.sleep(PAUSE_SECONDS)


def _watch_conductor(port: int, until: float, figures: Figures) -> None:
    """Create leases that begin at once, and wait until the conductor has started each."""
    client = Client(port, figures)
    while time.monotonic() < until:
        due = time.perf_counter()
        made = client.ask(encode("POST", "/reservation/v1/leases", ROOT, _lease()))
        if made is not None:
            path = f"/reservation/v1/leases/{made['lease']['id']}"
            while (shown := client.ask(encode("GET", path, ROOT))) is None or shown["lease"]["status"] != "ACTIVE":
                time.sleep(PAUSE_SECONDS)
            figures.lateness.append(time.perf_counter() - due)
            client.ask(encode("DELETE", path, ROOT))
        time.sleep(1)


def _lease() -> dict[str, object]:
    instances = {"resource_type": "virtual:instance", "vcpus": 1, "memory_mb": 1, "disk_gb": 0, "amount": 1}
    return {
        "name": f"soak-{time.monotonic_ns()}",
        "start_date": "now",
        "end_date": time.strftime("%Y-%m-%d %H:%M", time.gmtime(time.time() + 3_600)),
        "reservations": [{**instances, "affinity": None, "resource_properties": ""}],
        "events": [],
    }


def _fill(url: str) -> None:
    """Create nodes, hosts, and leases of the coming days."""
    fill(url, NODES)
    site = _Site(url)
    try:
        for number in range(HOSTS):
            make_host(site, f"host-{number}")
        now = time.time_ns() // 60_000_000_000 * 60_000_000
        for number in range(LEASES):
            start = now + (24 + number % 48) * HOUR
            command = CreateLease(
                name=f"lease-{number}",
                start_at=start,
                end_at=start + (4 + number % 48) * HOUR,
                reservations=(whole(2),),
                seed=number,
            )
            site.runner.write(create_lease, OWNER, command)
    finally:
        site.store.close()


class _Site(Ledger):
    """A ledger with the real clock and without a conductor: the server brings its own."""

    def __init__(self, url: str) -> None:
        self.store = open_store(url)
        self.runner = build_runner(self.store)


def _users(folder: Path) -> str:
    path = folder / "users"
    lines = [
        format_line(ROOT[0], ROOT[1].encode()),
        format_line(OLGA[0], OLGA[1].encode(), "physics", "member"),
        format_line(MEMBER[0], MEMBER[1].encode(), "chemistry", "member"),
        format_line(WITHOUT_ROLE[0], WITHOUT_ROLE[1].encode(), "biology", "none"),
    ]
    path.write_text("\n".join(lines))
    return str(path)


def _resident_megabytes(pid: int) -> int:
    """Return the highest resident size that the process had."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) // 1024
    raise RuntimeError(f"no VmHWM in /proc/{pid}/status")


if __name__ == "__main__":
    sys.exit(main())
