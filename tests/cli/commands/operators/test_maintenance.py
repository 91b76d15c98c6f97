"""``dibs maintenance``."""

from dibs.cli.exit_codes import NOT_FOUND
from dibs.client import Dibs
from tests.bed.session import Bed
from tests.cli.run_dibs import run
from tests.clients.clouds import enroll


def test_maintenance_is_planned_applied_listed_and_deleted(bed: Bed) -> None:
    url = bed.shared_server("sqlite").url
    name = enroll(Dibs.connect(url).connection).name
    run("host", "create", name, url=url)
    asked = ("maintenance", "plan", "--nodes", name, "--for", "3h", "--before", "+2d", "--name", "fans")
    plan = run(*asked, "-f", "json", url=url).json
    assert (plan["uuid"], plan["hosts"], plan["moves"]) == (None, [name], [])
    done = run(*asked, "--apply", "-f", "json", url=url).json
    assert done["uuid"]
    (row,) = (each for each in run("maintenance", "list", "-f", "json", url=url).json if each["uuid"] == done["uuid"])
    assert (row["name"], row["hosts"], row["start"]) == ("fans", [name], done["start"])
    assert run("maintenance", "delete", done["uuid"], url=url).code == 0
    assert run("maintenance", "delete", done["uuid"], url=url).code == NOT_FOUND
    run("host", "delete", name, url=url)
