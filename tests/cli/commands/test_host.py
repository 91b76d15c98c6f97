"""``dibs host …``."""

from dibs.client import Dibs
from tests.bed.session import Bed
from tests.cli.run_dibs import run
from tests.clients.clouds import enroll


def test_a_host_is_created_listed_shown_changed_and_deleted(bed: Bed) -> None:
    url = bed.shared_server("sqlite").url
    name = enroll(Dibs.connect(url).connection).name
    made = run("host", "create", name, "--property", "rack=r1", "--property", "gpu=a100", "-f", "json", url=url).json
    assert (made["name"], made["reservable"], made["properties"]) == (name, True, {"rack": "r1", "gpu": "a100"})
    changed = run("host", "set", name, "--property", "rack=r2", "--remove", "gpu", "-f", "json", url=url).json
    assert changed["properties"] == {"rack": "r2"}
    shown = run("host", "show", made["id"], "-f", "json", url=url).json
    assert shown["properties"] == {"rack": "r2"}
    assert name in {row["name"] for row in run("host", "list", "-f", "json", url=url).json}
    assert "rack=r2" in run("host", "show", name, url=url).out
    again = run("host", "create", name, url=url)
    assert again.code == 1
    unknown = run("host", "show", name[:-1], url=url)
    assert unknown.code == 3
    assert f"Host {name[:-1]} could not be found." in unknown.err
    assert f"Did you mean {name}" in unknown.err
    assert run("host", "delete", name, url=url).code == 0
    assert run("host", "delete", name, url=url).code == 3
