"""One request in the shell, its line in the access log, and its metrics."""

import logging
import time
from functools import lru_cache

from msgspec import Struct, field
from prometheus_client import Counter, Histogram

from dibs.access.actor import Actor
from dibs.http.edge import logs, metrics
from dibs.http.edge.guards.proxies import Peer
from dibs.http.messages import Mounted


class Exchange(Struct):
    """One request in the shell, with the values for its access log line."""

    method: str
    raw_path: bytes
    query_string: bytes
    path: str
    headers: dict[str, str]
    peer: Peer
    request_id: str
    dialect: Mounted | None
    actor: Actor | None = None
    started: float = field(default_factory=time.perf_counter)


def record(exchange: Exchange, status: int) -> None:
    """Count the request and log its access line; for health probes only at debug level."""
    seconds = time.perf_counter() - exchange.started
    label = exchange.dialect.mount if exchange.dialect else "site"
    requests, durations = _meters(label, exchange.method, status)
    requests.inc()
    durations.observe(seconds)
    level = logging.INFO if exchange.dialect or status >= 400 else logging.DEBUG
    if not logs.ACCESS.isEnabledFor(level):
        return
    line = logs.AccessLine(
        method=exchange.method,
        path=logs.loggable_path(exchange.raw_path, exchange.dialect),
        status=status,
        milliseconds=round(seconds * 1000, 3),
        user=exchange.actor.user if exchange.actor else None,
        project=exchange.actor.project if exchange.actor else None,
    )
    logs.ACCESS.log(level, line)


@lru_cache(maxsize=1024)
def _meters(label: str, method: str, status: int) -> tuple[Counter, Histogram]:
    """Return the meters with these labels. To find them costs as much as to count."""
    return metrics.REQUESTS.labels(label, method, status), metrics.SECONDS.labels(label, method)
