"""``dibs quota``."""

from dibs.cli.exit_codes import NOT_FOUND
from tests.bed.session import Bed
from tests.cli.run_dibs import run
from tests.clients.clouds import fresh


def test_limits_are_set_shown_listed_and_removed(bed: Bed) -> None:
    url, project = bed.shared_server("sqlite").url, fresh("project")
    options = ("--resource-class", "gold", "--nodes", "4", "--lease-duration", "2h")
    (row,) = run("quota", "set", project, *options, "-f", "json", url=url).json
    assert {name: row[name] for name in ("resource_class", "nodes", "nodes_used", "lease_seconds", "queued")} == {
        "resource_class": "gold",
        "nodes": 4,
        "nodes_used": 0,
        "lease_seconds": 7_200,
        "queued": None,
    }
    run("quota", "set", project, "--queued", "9", url=url)
    run("quota", "set", project, "--resource-class", "gold", "--lease-duration", "none", url=url)
    shown = run("quota", "show", project, "-f", "json", url=url).json
    assert [(row["resource_class"], row["nodes"], row["lease_seconds"], row["queued"]) for row in shown] == [
        (None, None, None, 9),
        ("gold", 4, None, None),
    ]
    listed = run("quota", "list", "-f", "json", url=url).json
    assert [row["nodes"] for row in listed if row["project"] == project] == [None, 4]
    run("quota", "unset", project, "--resource-class", "gold", url=url)
    assert len(run("quota", "show", project, "-f", "json", url=url).json) == 1
    run("quota", "unset", project, url=url)
    assert run("quota", "show", project, "-f", "json", url=url).json == []


def test_removal_without_a_quota_is_refused(bed: Bed) -> None:
    refused = run("quota", "unset", fresh("project"), url=bed.shared_server("sqlite").url)
    assert (refused.code, "has no quota." in refused.err) == (NOT_FOUND, True)
