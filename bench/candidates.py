"""Allocation candidates: CPU milliseconds per request, of the server and of the database.

``python -m bench.candidates [--engine postgresql] [--rounds 40]`` fills a throw-away database with flat and with nested
providers, half of them in use, and sends the same requests again and again. CPU time is read from /proc, so that other
work on the machine does not count.
"""

import argparse
import os
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path

from bench.load import ask
from dibs.database import open_store
from tests.bed.dibs_server import DibsServer
from tests.bed.session import ENGINES, Bed
from tests.candidates.model.brute_force import Provider, Stock, World
from tests.placement_rows import put_world

HALF, RARE, NETS = "HW_CPU_X86_AVX2", "CUSTOM_RARE", ("CUSTOM_PHYSNET_A", "CUSTOM_PHYSNET_B")
AGGREGATES = tuple(f"aaaaaaaa-0000-4000-8000-{number:012}" for number in range(4))
TICKS = os.sysconf("SC_CLK_TCK")

SIZE = "resources=VCPU:4,MEMORY_MB:8192,DISK_GB:20"
FLAT = {
    "no limit": SIZE,
    "limit=100": f"{SIZE}&limit=100",
    "limit=1": f"{SIZE}&limit=1",
    "trait of 50 %": f"{SIZE}&required={HALF}",
    "trait of 1 %": f"{SIZE}&required={RARE}",
    "aggregate and trait": f"{SIZE}&required={HALF}&member_of=in:{AGGREGATES[0]},{AGGREGATES[1]}",
}
CORES = "resources_C=VCPU:2,MEMORY_MB:1024"
FUNCTIONS = "resources_1=SRIOV_NET_VF:1&resources_2=SRIOV_NET_VF:1&group_policy=isolate"
SUBTREE = "resources_N=SRIOV_NET_VF:1&required_N=CUSTOM_PHYSNET_A&same_subtree=_C,_N&group_policy=none"
NESTED = {
    "NUMA and 2 VFs isolated": f"{CORES}&{FUNCTIONS}",
    "NUMA and 2 VFs isolated, limit=100": f"{CORES}&{FUNCTIONS}&limit=100",
    "physical network, same_subtree": f"{CORES}&{SUBTREE}",
    "physical network, same_subtree, limit=10": f"{CORES}&{SUBTREE}&limit=10",
}
GPUS = {
    "four GPU groups in wide trees, limit=10": "&".join(f"resources_{n}=VGPU:1" for n in range(1, 5))
    + "&group_policy=isolate&limit=10"
}


def flat(count: int) -> World:
    """Return compute hosts of one size; half of them are in use."""
    return World(
        [
            Provider(
                f"11111111-0000-4000-8000-{number:012}",
                None,
                {
                    "VCPU": Stock(64, used=8 * (number // 2 % 2), ratio=4.0),
                    "MEMORY_MB": Stock(262_144, used=16_384 * (number // 2 % 2), max_unit=262_144),
                    "DISK_GB": Stock(2_000, used=80 * (number // 2 % 2), max_unit=2_000),
                },
                frozenset({HALF} if number % 2 else ()) | frozenset({RARE} if number % 100 == 0 else ()),
                frozenset({AGGREGATES[number % 4]}),
            )
            for number in range(count)
        ]
    )


def nested(count: int) -> World:
    """Return hosts with two NUMA nodes, each with two network cards of eight virtual functions."""
    providers = []
    for number in range(count):
        host = f"22222222-0000-4000-8000-{number:012}"
        providers.append(Provider(host, None, {"DISK_GB": Stock(2_000)}))
        for numa in range(2):
            node = f"2222222{numa}-1000-4000-8000-{number:012}"
            stocks = {"VCPU": Stock(16, used=4 * (number % 2)), "MEMORY_MB": Stock(65_536, max_unit=65_536)}
            providers.append(Provider(node, host, stocks))
            for card, net in enumerate(NETS):
                uuid = f"2222222{numa}-2{card}00-4000-8000-{number:012}"
                providers.append(Provider(uuid, node, {"SRIOV_NET_VF": Stock(8, used=number % 3)}, frozenset({net})))
    return World(providers)


def wide(count: int) -> World:
    """Return hosts with sixteen GPUs."""
    providers = []
    for number in range(count):
        host = f"33333333-0000-4000-8000-{number:012}"
        providers.append(Provider(host))
        for gpu in range(16):
            providers.append(Provider(f"33333333-1000-4{gpu:03}-8000-{number:012}", host, {"VGPU": Stock(1)}))
    return World(providers)


WORLDS: Mapping[str, tuple[World, Mapping[str, str]]] = {
    "1,000 hosts": (flat(1_000), FLAT),
    "5,000 hosts": (flat(5_000), {name: FLAT[name] for name in ("limit=100", "trait of 1 %")}),
    "200 hosts of 7 providers": (nested(200), NESTED),
    "50 hosts of 17 providers": (wide(50), GPUS),
}


def measure_candidates(bed: Bed, engine: str, rounds: int) -> Iterator[str]:
    """Yield lines: CPU of the server and of the database for each request."""
    url = bed.databases(engine).fresh()
    store = open_store(url)
    server = DibsServer(url, bed.folder)
    running = bed.started[engine].process if engine in bed.started else None
    database = running.pid if running else None
    try:
        put_world(store, flat(1))
        server.start()
        for title, (world, requests) in WORLDS.items():
            put_world(store, world)
            for name, query in requests.items():
                yield f"{title + ', ' + name:<66}{_line(server, database, query, rounds)}"
    finally:
        server.stop()
        store.close()
        bed.databases(engine).discard(url)


def _line(server: DibsServer, database: int | None, query: str, rounds: int) -> str:
    headers = "Host: localhost\r\nX-Auth-Token: admin\r\nOpenStack-API-Version: placement 1.39\r\n"
    request = f"GET /placement/allocation_candidates?{query} HTTP/1.1\r\n{headers}\r\n".encode()
    with socket.create_connection(("127.0.0.1", server.port), timeout=120) as connection:
        for _ in range(3):
            status, body = ask(connection, request)
            if status != 200:
                raise RuntimeError(f"{status} {body[:300]!r}")
        before = _cpu(server.pid), _cpu(database)
        for _ in range(rounds):
            ask(connection, request)
        after = _cpu(server.pid), _cpu(database)
    own, other = ((b - a) * 1_000 / rounds for a, b in zip(before, after, strict=True))
    return f"{own:>8.1f} + {other:>6.1f} ms{len(body):>12,} bytes"


def _cpu(pid: int | None) -> float:
    """Return the CPU seconds of a process and its children, those that have ended included."""
    if pid is None:
        return 0.0
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return sum(map(int, fields[11:15])) / TICKS + sum(_cpu(int(child)) for child in children)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="bench.candidates", description="Measure searches for candidates.")
    parser.add_argument("--engine", default=",".join(ENGINES), help="engines, separated by commas")
    parser.add_argument("--rounds", type=int, default=40, help="requests for each line")
    arguments = parser.parse_args()
    bed = Bed()
    try:
        for engine in arguments.engine.split(","):
            print(f"\n{engine}: server + database")
            for line in measure_candidates(bed, engine, arguments.rounds):
                print(line, flush=True)
    finally:
        bed.close()


if __name__ == "__main__":
    main()
