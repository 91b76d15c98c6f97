"""``dibs share``."""

from dibs.cli.exit_codes import NOT_FOUND
from tests.bed.session import Bed
from tests.cli.run_dibs import run
from tests.clients.clouds import fresh


def test_weight_is_set_listed_and_removed(bed: Bed) -> None:
    url, project = bed.shared_server("sqlite").url, fresh("project")

    def listed() -> list[tuple[int, int]]:
        rows = run("share", "list", "-f", "json", url=url).json
        return [(row["weight"], row["nodes"]) for row in rows if row["project"] == project]

    run("share", "set", project, "5", url=url)
    assert listed() == [(5, 0)]
    run("share", "unset", project, url=url)
    assert listed() == [(1, 0)]
    refused = run("share", "unset", project, url=url)
    assert (refused.code, "has no weight." in refused.err) == (NOT_FOUND, True)
