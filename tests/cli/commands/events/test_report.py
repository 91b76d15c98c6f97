"""``dibs report``."""

from dibs.client import Dibs
from tests.bed.session import Bed
from tests.cli.run_dibs import run
from tests.clients.clouds import enroll, fresh


def test_report_has_a_row_for_a_class_in_use(bed: Bed) -> None:
    url = bed.shared_server("sqlite").url
    dibs = Dibs.connect(url)
    kind = fresh("class")
    enroll(dibs.connection, resource_class=kind)
    made = dibs.allocations.create(kind)
    dibs.allocations.wait([made])
    rows = run("report", "--weeks", "1", "-f", "json", url=url).json
    assert [row["nodes"] for row in rows if row["resource_class"] == kind] == [1]
    header, *lines = run("report", "-f", "csv", url=url).out.splitlines()
    assert header == '"week","resource_class","project","node_hours","nodes","share"'
    assert any(kind in line for line in lines)
    dibs.allocations.delete(made.id)
