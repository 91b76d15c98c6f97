"""``dibs webhook …``."""

from tests.bed.session import Bed
from tests.cli.run_dibs import run

URL = "https://example.org/hook"


def test_webhook_is_created_listed_shown_and_deleted(bed: Bed) -> None:
    url = bed.shared_server("sqlite").url
    made = run("webhook", "create", URL, "--type", "lease", "node.fault", "-f", "json", url=url).json
    assert made["secret"].startswith("whsec_")
    assert made["types"] == ["lease", "node.fault"]
    shown = run("webhook", "show", made["uuid"], "-f", "json", url=url).json
    assert {**shown, "secret": made["secret"]} == made
    assert made["uuid"] in [row["uuid"] for row in run("webhook", "list", "-f", "json", url=url).json]
    assert run("webhook", "enable", made["uuid"], "-f", "json", url=url).json == shown
    assert run("webhook", "delivery", "list", made["uuid"], "--state", "failed", "-f", "json", url=url).json == []
    run("webhook", "delete", made["uuid"], url=url)
    assert made["uuid"] not in [row["uuid"] for row in run("webhook", "list", "-f", "json", url=url).json]


def test_webhook_of_another_project_is_named(bed: Bed) -> None:
    url = bed.shared_server("sqlite").url
    made = run("webhook", "create", URL, "--project", "p1", "-f", "json", url=url).json
    assert made["project"] == "p1"
    every = run("webhook", "create", URL, "--all-projects", "-f", "json", url=url).json
    assert every["project"] is None
    run("webhook", "delete", made["uuid"], every["uuid"], url=url)


def test_unknown_webhook_is_an_error(bed: Bed) -> None:
    url = bed.shared_server("sqlite").url
    ended = run("webhook", "show", "unknown", url=url)
    assert ended.code
    assert "Webhook unknown could not be found" in ended.err
