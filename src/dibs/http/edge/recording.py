"""One request in the shell, its line in the access log, and its metrics."""

import logging
import time

from msgspec import Struct, field

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
    metrics.REQUESTS.labels(label, exchange.method, status).inc()
    metrics.SECONDS.labels(label, exchange.method).observe(seconds)
    level = logging.INFO if exchange.dialect or status >= 400 else logging.DEBUG
    if not logs.ACCESS.isEnabledFor(level):
        return
    path = logs.loggable_path(exchange.raw_path, exchange.dialect)
    milliseconds = round(seconds * 1000, 3)
    fields = {
        "method": exchange.method,
        "path": path,
        "status": status,
        "milliseconds": milliseconds,
        "user": exchange.actor.user if exchange.actor else None,
        "project": exchange.actor.project if exchange.actor else None,
    }
    logs.ACCESS.log(
        level,
        "%s %s %d %.1f ms",
        exchange.method,
        path,
        status,
        milliseconds,
        extra=fields,
    )
