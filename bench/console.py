"""The first view of the console: how many bytes a browser loads, and how long the server takes for the page."""

import gzip
import re
import time
import urllib.request
from collections.abc import Iterator

from tests.bed.dibs_server import DibsServer
from tests.bed.session import Bed
from tests.fleet import fill
from tests.lease_rows import fill_booked_nodes

NODES = 1_000
BOOKINGS = 5_000
ROUNDS = 10

_ASSETS = re.compile(rb'(?:src|href)="(/console/assets/[^"]+)"')


def measure_console(bed: Bed, engine: str) -> Iterator[str]:
    """Print bytes and time of the timeline, of the fleet and of the rows that follow."""
    url = bed.databases(engine).fresh()
    fill(url, NODES)
    fill_booked_nodes(url, NODES, BOOKINGS // NODES, time.time_ns() // 1_000)
    server = DibsServer(url, bed.folder)
    server.start()
    try:
        page = _get(f"{server.url}/console/timeline")
        assets = {path.decode() for path in _ASSETS.findall(gzip.decompress(page))}
        size = sum(len(_get(server.url + path)) for path in assets)
        yield f"{'style, scripts and font':<26}{size / 1024:>8.0f} KiB, kept by the browser"
        for path in ("/timeline", "/timeline?zoom=month", "/fleet"):
            yield _line(path, f"{server.url}/console{path}")
    finally:
        server.stop()
        bed.databases(engine).discard(url)


def _line(name: str, url: str) -> str:
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        body = _get(url)
        times.append(time.perf_counter() - started)
    whole = len(gzip.decompress(body)) / 1024
    return f"{name:<26}{len(body) / 1024:>8.0f} KiB ({whole:.0f} KiB of HTML) in {min(times) * 1000:.0f} ms at best"


def _get(url: str) -> bytes:
    request = urllib.request.Request(url, headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return bytes(answer.read())
