"""What Prometheus may ask, for every worker process of a server together.

With several workers the parent sets PROMETHEUS_MULTIPROC_DIR before prometheus-client is first imported; each process
then counts into files of that directory and any of them can answer for all. The store and the runner do not know
Prometheus: they are given ``SQL_STATEMENTS.inc`` and ``TRANSACTION_RERUNS.inc`` as plain callables.
"""

import os

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

CONTENT_TYPE = CONTENT_TYPE_LATEST
DIRECTORY_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"

REQUESTS = Counter("dibs_requests", "Requests answered.", ["dialect", "method", "status"])
SECONDS = Histogram(
    "dibs_request_seconds",
    "Time from the end of the headers to the end of the answer.",
    ["dialect", "method"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
RUNNING = Gauge("dibs_requests_running", "Requests that have a thread.", multiprocess_mode="livesum")
WAITING = Gauge(
    "dibs_requests_waiting",
    "Requests that wait for a thread.",
    multiprocess_mode="livesum",
)
SHED = Counter("dibs_requests_shed", "Requests turned away because too many were waiting.")
SQL_STATEMENTS = Counter("dibs_sql_statements", "SQL statements run.")
TRANSACTION_RERUNS = Counter("dibs_transaction_reruns", "Transactions run again because the engine refused them.")


def exposition() -> bytes:
    """The current values of all workers in Prometheus' text format."""
    if DIRECTORY_VARIABLE not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


def forget_worker(pid: int) -> None:
    """Drop the gauges of a worker that died, whose requests are gone; its counters stay."""
    if DIRECTORY_VARIABLE in os.environ:
        mark_process_dead(pid)  # type: ignore[no-untyped-call]
