"""``python -m bench --engine sqlite,postgresql --nodes 10000``."""

import argparse

from bench.list_nodes import list_nodes
from tests.bed.dibs_server import DibsServer
from tests.bed.session import ENGINES, Bed

ENTRIES = [list_nodes]


def main() -> None:
    """Run every entry on every engine, each with a server and a database of its own."""
    parser = argparse.ArgumentParser(description="Measure Dibs.")
    parser.add_argument("--engine", default=",".join(ENGINES), help="engines, with commas between them")
    parser.add_argument("--nodes", type=int, default=10_000, help="how many nodes there are")
    arguments = parser.parse_args()
    bed = Bed()
    try:
        for engine in arguments.engine.split(","):
            for entry in ENTRIES:
                print(f"==> {entry.__name__} on {engine}, {arguments.nodes} nodes", flush=True)
                server = DibsServer(bed.databases(engine).fresh(), bed.folder)
                server.start()
                try:
                    for measured in entry(server.url, arguments.nodes):
                        print(f"{engine:<12}{measured.what:<44}{measured.amount:>10.0f} {measured.unit}", flush=True)
                finally:
                    server.stop()
    finally:
        bed.close()


if __name__ == "__main__":
    main()
