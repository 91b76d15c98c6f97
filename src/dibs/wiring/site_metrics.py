"""Metrics about the site, read from the database: nodes, queue, leases, due work and conductors.

They are read when Prometheus asks, at most every few seconds, however many ask. All processes of a site report the
same figures, so a query takes the maximum over the processes, not the sum.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily

from dibs.access.access import SERVICE
from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.database.runner import Runner
from dibs.reports.model.measures import Measures
from dibs.reports.operations.measuring import measure_site

CACHE_SECONDS = 10.0

logger = logging.getLogger(__name__)


class SiteMetrics:
    """Reports the figures of the site in Prometheus' text format. Any number of threads may use it."""

    def __init__(self, runner: Runner, clock: Callable[[], float] = time.monotonic) -> None:
        self._runner = runner
        self._clock = clock
        self._lock = threading.Lock()
        self._text = b""
        self._until = float("-inf")

    def exposition(self) -> bytes:
        """Return the figures, which are at most CACHE_SECONDS old."""
        with self._lock:
            if self._clock() >= self._until:
                self._text = self._read()
                self._until = self._clock() + CACHE_SECONDS
            return self._text

    def _read(self) -> bytes:
        measures = None
        try:
            measures = self._runner.read(measure_site, SERVICE, None)
        except (StoreUnavailable, StoreContended):
            logger.debug("the figures of the site are not read: the database is not available")
        registry = CollectorRegistry()
        registry.register(_Collector(measures))
        return generate_latest(registry)


class _Collector:
    """Passes figures to prometheus-client; without figures, only that the database cannot be read."""

    def __init__(self, measures: Measures | None) -> None:
        self._measures = measures

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield each metric."""
        up = GaugeMetricFamily("dibs_database_up", "1 when the figures of the site could be read, 0 otherwise.")
        up.add_metric([], self._measures is not None)
        yield up
        if self._measures is not None:
            yield from _families(self._measures)


def _families(found: Measures) -> Iterator[GaugeMetricFamily]:
    nodes = GaugeMetricFamily("dibs_nodes", "Nodes.", labels=["resource_class", "provision_state"])
    for labels, count in found.nodes.items():
        nodes.add_metric(labels, count)
    yield nodes
    yield _family("dibs_queue_length", "Allocations that wait for a node.", "resource_class", found.queue_lengths)
    yield _family("dibs_queue_oldest_seconds", "Time that the oldest has waited.", "resource_class", found.queue_waits)
    yield _family("dibs_leases", "Leases.", "status", found.leases)
    yield _family("dibs_due_lateness_seconds", "Time since the oldest due work was due.", "kind", found.lateness)
    yield _family("dibs_conductors", "Conductors.", "state", found.conductors)


def _family(name: str, help: str, label: str, values: Mapping[str, float]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, help, labels=[label])
    for value, number in values.items():
        family.add_metric([value], number)
    return family
