"""The dashboard for Grafana: every metric that it shows exists, and the documentation explains it."""

import json
import re
from pathlib import Path

import httpx

from tests.bed.session import Bed

ROOT = Path(__file__).parents[2]
DASHBOARD = ROOT / "deploy" / "grafana" / "dibs.json"
PAGE = ROOT / "docs" / "operations" / "health-and-metrics.md"
_PARTS = {"histogram": ("_bucket", "_sum", "_count")}


def shown() -> set[str]:
    """Return the names of the metrics in the queries of the dashboard."""
    panels = json.loads(DASHBOARD.read_text())["panels"]
    queries = " ".join(target["expr"] for panel in panels for target in panel["targets"])
    return set(re.findall(r"dibs_\w+", queries))


def served(bed: Bed) -> dict[str, set[str]]:
    """Return the names of the samples of each metric that a server has."""
    text = httpx.get(f"{bed.shared_server('sqlite').url}/metrics").text
    types = dict(re.findall(r"^# TYPE (dibs_\w+) (\w+)$", text, re.MULTILINE))
    return {
        name: {name + part for part in _PARTS.get(kind, ("",))}
        for name, kind in types.items()
        if not name.endswith("_created")
    }


def test_every_metric_of_the_dashboard_exists(bed: Bed) -> None:
    assert shown() <= set().union(*served(bed).values())


def test_every_metric_is_in_the_dashboard_and_in_the_documentation(bed: Bed) -> None:
    metrics = served(bed)
    assert {name for name, samples in metrics.items() if not samples & shown()} == set()
    documented = set(re.findall(r"`(dibs_\w+)", PAGE.read_text()))
    assert documented == set(metrics)
