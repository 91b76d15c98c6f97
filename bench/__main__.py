"""Measure Dibs: ``python -m bench [--engine sqlite,postgresql,mariadb] [--seconds 2]``.

Figures of two machines are not comparable, so every line also has the ratio to ``GET /livez``, the cheapest request, in
the same run.
"""

import argparse
from collections.abc import Iterator

from bench.candidates import measure_candidates
from bench.claims import measure_claims
from bench.console import BOOKINGS, measure_console
from bench.console import NODES as CONSOLE_NODES
from bench.footprint import measure_footprint
from bench.leases import HOSTS, LEASES, measure_leases
from bench.listing import measure_listing
from bench.load import Figure, measure
from bench.requests import REQUESTS, prepare
from tests.bed.dibs_server import DibsServer
from tests.bed.session import ENGINES, Bed
from tests.fleet import fill

NODES = 10_000
CLIENTS = (1, 16)
CANDIDATE_ROUNDS = 40


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="bench", description="Measure Dibs on throw-away databases.")
    parser.add_argument("--engine", default=",".join(ENGINES), help="engines, separated by commas")
    parser.add_argument("--seconds", type=float, default=2.0, help="time for each line")
    parser.add_argument("--workers", type=int, default=1, help="processes that answer requests")
    parser.add_argument("--no-footprint", action="store_true", help="skip the installation, which needs an index")
    arguments = parser.parse_args()
    if not arguments.no_footprint:
        print("the base installation: pip install .")
        for line in measure_footprint():
            print(line, flush=True)
    bed = Bed()
    try:
        for engine in arguments.engine.split(","):
            print(f"\n{engine}, {NODES:,} nodes with 5 traits each, {arguments.workers} worker(s)")
            for line in lines_of(bed, engine, arguments.seconds, arguments.workers):
                print(line, flush=True)
            print(f"\n{engine}, {HOSTS:,} hosts with {LEASES:,} leases, one call after the other, without HTTP")
            for line in lines_of_leases(bed, engine):
                print(line, flush=True)
            print(f"\n{engine}, allocation candidates: CPU of server + database per request")
            for line in measure_candidates(bed, engine, CANDIDATE_ROUNDS):
                print(line, flush=True)
            print(f"\n{engine}, claims without HTTP")
            for line in lines_of_claims(bed, engine):
                print(line, flush=True)
            print(f"\n{engine}, the console: first view of {CONSOLE_NODES:,} nodes with {BOOKINGS:,} bookings")
            for line in measure_console(bed, engine):
                print(line, flush=True)
    finally:
        bed.close()


def lines_of(bed: Bed, engine: str, seconds: float, workers: int) -> Iterator[str]:
    """Print the table of one engine."""
    url = bed.databases(engine).fresh()
    fill(url, NODES)
    server = DibsServer(url, bed.folder, "--workers", str(workers))
    server.start()
    try:
        prepare(server.port)
        yield f"{'request':<26}" + "".join(f"{f'{n} client(s), /s':>18}{'of /livez':>11}{'p99 ms':>9}" for n in CLIENTS)
        floor: dict[int, Figure] = {}
        for name, request in REQUESTS.items():
            cells = ""
            for clients in CLIENTS:
                figure = measure(server.port, request, clients, seconds)
                floor.setdefault(clients, figure)
                ratio = figure.per_second / floor[clients].per_second
                cells += f"{figure.per_second:>18,.0f}{ratio:>11.0%}{figure.p99_milliseconds:>9.1f}"
            yield f"{name:<26}{cells}"
        yield from measure_listing(server.port, NODES)
    finally:
        server.stop()
        bed.databases(engine).discard(url)


def lines_of_leases(bed: Bed, engine: str) -> Iterator[str]:
    """Print the table of leases of one engine."""
    url = bed.databases(engine).fresh()
    try:
        yield from measure_leases(url)
    finally:
        bed.databases(engine).discard(url)


def lines_of_claims(bed: Bed, engine: str) -> Iterator[str]:
    """Print the table of claims of one engine."""
    url = bed.databases(engine).fresh()
    try:
        yield from measure_claims(url)
    finally:
        bed.databases(engine).discard(url)


if __name__ == "__main__":
    main()
