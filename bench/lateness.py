"""Many leases that start in the same minute: how late a conductor starts each of them."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import func, select, update

from bench.leases import create, create_host, four, whole
from bench.load import Client, Target
from bench.services.dibs import Dibs
from bench.services.engines import Engine
from bench.tables import FIGURES_HEAD, figure, progress
from dibs.leases.model.leases import DONE, START
from dibs.leases.tables import bookings, lease_events, leases
from tests.laws import connect
from tests.lease_rows import fill_hosts

LEASES = 1_000
HOSTS = 1_500
CLIENTS = 8
AHEAD_SECONDS = 3
GIVE_UP_SECONDS = 300
GOAL = "p99 < 5 s"


def measure_lateness(engine_name: str) -> Iterator[str]:
    """Yield the lateness of the starts, by the times that the conductor wrote."""
    engine = Engine(engine_name)
    dibs = Dibs(engine)
    try:
        target = dibs.start()
        with Client(target) as client:
            create_host(client)
        fill_hosts(dibs.url, HOSTS)
        dibs.notice_rows()
        progress(f"creating {LEASES:,} leases")
        with ThreadPoolExecutor(CLIENTS) as pool:
            list(pool.map(_create, [target] * CLIENTS))
        progress("waiting for their starts")
        late = _start_all(dibs.url)
        yield f"\n{LEASES:,} leases that start in the same minute, one conductor; half are whole hosts\n"
        yield from FIGURES_HEAD
        p50, p99 = (late[int(LEASES * share)] for share in (0.5, 0.99))
        yield figure("lateness of a start, by the median and at most", f"{p50:.1f} s, {late[-1]:.1f} s")
        yield figure("lateness, p99", f"{p99:.1f} s, {LEASES / late[-1]:,.0f} starts/s", GOAL)
    finally:
        dibs.stop()
        engine.close()


def _create(target: Target) -> None:
    with Client(target) as client:
        for turn in range(LEASES // CLIENTS):
            client.turn = 0
            create(client, whole() if turn % 2 else four())


def _start_all(url: str) -> list[float]:
    """Move the starts to a moment soon, and return by how many seconds each was late, the latest last."""
    soon = (time.time_ns() // 1_000) + AHEAD_SECONDS * 1_000_000
    is_start = lease_events.c.kind == START
    with connect(url) as connection, connection.begin():
        connection.execute(update(leases).values(start_at=soon))
        connection.execute(update(bookings).values(start_at=soon))
        connection.execute(update(lease_events).where(is_start).values(due_at=soon))
    started = select(func.count()).select_from(lease_events).where(is_start, lease_events.c.status == DONE)
    deadline = time.monotonic() + GIVE_UP_SECONDS
    with connect(url) as connection:
        while connection.execute(started).scalar_one() < LEASES:
            connection.rollback()
            if time.monotonic() > deadline:
                raise RuntimeError(f"Not every lease started within {GIVE_UP_SECONDS} seconds.")
            time.sleep(0.5)
        times = connection.execute(select(lease_events.c.updated_at).where(is_start)).scalars()
        return sorted((moment - soon) / 1_000_000 for moment in times)
