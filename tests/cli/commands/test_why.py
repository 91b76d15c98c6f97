"""``dibs why`` and ``dibs candidates``."""

from dibs.client import Dibs
from tests.bed.session import Bed
from tests.cli.run_dibs import run
from tests.clients.clouds import enroll, fresh


def test_reasons_and_candidates_are_shown(bed: Bed) -> None:
    url = bed.shared_server("sqlite").url
    dibs = Dibs.connect(url)
    kind = fresh("class")
    node = enroll(dibs.connection, resource_class=kind)
    dibs.nodes.add_traits(node.id, "CUSTOM_A")
    request = ("--resource-class", kind, "--trait", "CUSTOM_A", "-f", "json")
    assert run("why", *request, "--candidate-node", node.name, url=url).json["fits"] is True
    (row,) = run("candidates", *request, url=url).json
    assert (row["provider"], row["traits"]) == (node.id, ["CUSTOM_A"])
    assert row["resources"] == row["free"] == [f"CUSTOM_{kind.upper().replace('-', '_')}=1"]
    assert run("candidates", "--resource", row["free"][0], "--not-trait", "CUSTOM_A", "-f", "json", url=url).json == []
    held = dibs.reservations.create([node.id], seconds=600)
    answer = run("why", *request, "--bulk", "2", url=url).json
    assert (answer["fits"], answer["reasons"], answer["earliest"]) == (False, {"held": 1}, None)
    answer = run("why", *request, url=url).json
    assert answer["earliest"][:19] == held.expires_at[:19]
    dibs.reservations.delete(held.id)
