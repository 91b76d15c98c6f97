"""The console: bytes and time of the first view, and how long a booking takes to appear in an open browser."""

import gzip
import json
import re
import time
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from statistics import median

from playwright.sync_api import sync_playwright

from bench.services.dibs import Dibs
from bench.services.engines import Engine
from bench.tables import FIGURES_HEAD, figure
from tests.bed.browser import OPTIONS, chromium_path
from tests.fleet import fill
from tests.lease_rows import fill_booked_nodes

NODES = 1_000
BOOKINGS = 5_000
ROUNDS = 10
LIVE_ROUNDS = 20

_SHOWS = "count => document.querySelectorAll('.trow[data-node=fleet-0] .bar').length === count"
_ASSETS = re.compile(rb'(?:src|href)="(/console/assets/[^"]+)"')


def measure_console(engine_name: str) -> Iterator[str]:
    """Yield bytes and time of the timeline and of the fleet, and the time from a booking to an open timeline."""
    engine = Engine(engine_name)
    dibs = Dibs(engine)
    try:
        fill(dibs.url, NODES)
        fill_booked_nodes(dibs.url, NODES, BOOKINGS // NODES, time.time_ns() // 1_000)
        origin = f"http://127.0.0.1:{dibs.start().port}"
        yield f"\nFirst view of {NODES:,} nodes with {BOOKINGS:,} bookings\n"
        yield from FIGURES_HEAD
        page = _get(f"{origin}/console/timeline")
        assets = {path.decode() for path in _ASSETS.findall(gzip.decompress(page))}
        size = sum(len(_get(origin + path)) for path in assets)
        yield figure("style, scripts and font", f"{size / 1024:.0f} KiB, kept by the browser")
        for path in ("/timeline", "/timeline?zoom=month", "/fleet"):
            yield _line(path, f"{origin}/console{path}")
        times = [seconds * 1000 for seconds in _live(origin)]
        yield figure("a booking appears", f"after {median(times):.0f} ms (median), {max(times):.0f} ms at most", "1 s")
    finally:
        dibs.stop()
        engine.close()


def _line(name: str, url: str) -> str:
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        body = _get(url)
        times.append(time.perf_counter() - started)
    whole = len(gzip.decompress(body)) / 1024
    return figure(name, f"{len(body) / 1024:.0f} KiB ({whole:.0f} KiB of HTML) in {min(times) * 1000:.0f} ms at best")


def _live(url: str) -> Iterator[float]:
    """Yield the seconds from a request that books or releases a node until an open timeline shows it."""
    start = datetime.now(UTC) + timedelta(days=1, hours=1)
    window = {"start_date": f"{start:%Y-%m-%d %H:%M}", "end_date": f"{start + timedelta(hours=9):%Y-%m-%d %H:%M}"}
    wanted = {"resource_type": "physical:host", "min": 1, "max": 1, "resource_properties": ""}
    wanted["hypervisor_properties"] = '["==", "$hypervisor_hostname", "host-0"]'
    body = json.dumps({"name": "live", **window, "reservations": [wanted], "events": []}).encode()
    leases = f"{url}/reservation/v1/leases"
    with sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=chromium_path(), args=list(OPTIONS)).new_page()
        page.goto(f"{url}/console/timeline")
        bars = page.locator(".trow[data-node=fleet-0] .bar").count()
        for _ in range(LIVE_ROUNDS // 2):
            started = time.perf_counter()
            lease = json.loads(_send("POST", leases, body))["lease"]["id"]
            page.wait_for_function(_SHOWS, arg=bars + 1)
            yield time.perf_counter() - started
            started = time.perf_counter()
            _send("DELETE", f"{leases}/{lease}")
            page.wait_for_function(_SHOWS, arg=bars)
            yield time.perf_counter() - started


def _send(method: str, url: str, body: bytes | None = None) -> bytes:
    headers = {"Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, body, headers, method=method), timeout=60) as answer:
        return bytes(answer.read())


def _get(url: str) -> bytes:
    request = urllib.request.Request(url, headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return bytes(answer.read())
