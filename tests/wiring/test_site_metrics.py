"""Metrics about the site."""

from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from dibs.database.errors import StoreUnavailable
from dibs.wiring.site_metrics import CACHE_SECONDS, SiteMetrics
from tests.builders import Ledger


def samples(text: bytes) -> dict[tuple[str, ...], float]:
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


def test_figures_are_read_again_only_after_some_seconds(ledger: Ledger) -> None:
    now = 0.0
    metrics = SiteMetrics(ledger.runner, lambda: now)
    ledger.enrol(resource_class="gold")
    nodes = ("dibs_nodes", "available", "gold")
    assert samples(metrics.exposition())[nodes] == 1
    ledger.enrol(resource_class="gold")
    now = CACHE_SECONDS - 1
    assert samples(metrics.exposition())[nodes] == 1
    now = CACHE_SECONDS
    found = samples(metrics.exposition())
    assert found[nodes] == 2
    assert found["dibs_conductors", "alive"] == 1
    assert found["dibs_due_lateness_seconds", "lease_event"] == 0
    assert found[("dibs_database_up",)] == 1


def test_database_that_is_away_is_reported() -> None:
    class Away:
        def read(self, *arguments: Any) -> None:
            raise StoreUnavailable

    assert samples(SiteMetrics(Away()).exposition()) == {("dibs_database_up",): 0}  # type: ignore[arg-type]
