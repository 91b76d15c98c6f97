"""Prometheus metrics of all worker processes of a server.

With several workers the parent sets PROMETHEUS_MULTIPROC_DIR before prometheus-client is first imported. Each process
then counts in files of that directory, and each can report the sum. The store does not import Prometheus: the wiring
passes it ``SQL_STATEMENTS.inc`` and others as callables.
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
    "Time from the end of the headers to the end of the response.",
    ["dialect", "method"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
RUNNING = Gauge("dibs_requests_running", "Requests that are running.", multiprocess_mode="livesum")
WAITING = Gauge(
    "dibs_requests_waiting",
    "Requests that wait for a thread.",
    multiprocess_mode="livesum",
)
SHED = Counter("dibs_requests_shed", "Requests refused because too many were waiting.")
THROTTLED = Counter("dibs_requests_throttled", "Requests refused because their caller had too many.")
SQL_STATEMENTS = Counter("dibs_sql_statements", "SQL statements run.")
TRANSACTION_RERUNS = Counter("dibs_transaction_reruns", "Transactions retried because the engine refused them.")

LOCK_WAIT = Histogram(
    "dibs_lock_wait_seconds",
    "The longest time that a statement of a transaction took to change rows: almost all of it is waiting for locks.",
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
REFUSALS = Counter("dibs_refusals", "Operations refused, by the name of the error.", ["reason"])


def exposition() -> bytes:
    """Return the current values of all workers in Prometheus' text format."""
    if DIRECTORY_VARIABLE not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


def forget_worker(pid: int) -> None:
    """Drop the gauges of a worker that has ended; its counters stay."""
    if DIRECTORY_VARIABLE in os.environ:
        mark_process_dead(pid)  # type: ignore[no-untyped-call]
