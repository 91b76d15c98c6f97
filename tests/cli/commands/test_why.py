"""``dibs why`` and ``dibs candidates``."""

import json

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
    funnel = run("why", "candidates", *request, url=url).json
    assert [(row["condition"], row["remaining"]) for row in funnel[1:]] == [
        ("resources", 1),
        ("required", 1),
        ("free", 1),
    ]
    held = dibs.reservations.create([node.id], seconds=600)
    refused = run("why", *request, "--bulk", "2", url=url)
    assert refused.code == 1
    answer = json.loads(refused.out)
    assert (answer["fits"], answer["reasons"], answer["earliest"]) == (False, {"held": 1, "missing": 1}, None)
    answer = json.loads(run("why", *request, url=url).out)
    assert answer["earliest"][:19] == held.expires_at[:19]
    dibs.reservations.delete(held.id)
    then = run("why", "--resource-class", kind, "--at", held.created_at, "-f", "json", url=url)
    assert (then.code, json.loads(then.out)["reasons"]) == (1, {"held": 1})
    assert "too long ago" in run("why", "--resource-class", kind, "--at", "52 weeks ago", url=url).err


def test_why_prints_one_reason_per_line_with_the_number_wanted_and_the_closest_names(bed: Bed) -> None:
    url = bed.shared_server("sqlite").url
    dibs = Dibs.connect(url)
    kind = fresh("class")
    node, other = (enroll(dibs.connection, resource_class=kind) for _ in range(2))
    dibs.nodes.add_traits(node.id, "CUSTOM_UNUSUAL")
    held = dibs.reservations.create([node.id], seconds=600)
    wanted = run("why", "--resource-class", kind, "--trait", "CUSTOM_UNUSUAL", "--bulk", "2", url=url)
    assert wanted.code == 1
    cells = [" ".join(line.replace("|", " ").split()) for line in wanted.out.splitlines()]
    assert "wanted 2" in cells
    assert {"reasons 1 held", "1 lacks CUSTOM_UNUSUAL"} <= set(cells) or {
        "reasons 1 lacks CUSTOM_UNUSUAL",
        "1 held",
    } <= set(cells)
    each = run("why", "--resource-class", kind, "--trait", "CUSTOM_UNUSUAL", "--all", url=url)
    assert each.code == 1
    assert f"| never | {other.name} lacks CUSTOM_UNUSUAL " in each.out
    assert f"| later | {node.name} held until {held.expires_at[:16]}, hold " in each.out
    misspelled = run("why", "--resource-class", kind[:-1], "--trait", "CUSTOM_UNUSUALLY", url=url)
    assert misspelled.code == 1
    assert f"No node has the class {kind[:-1]}. Did you mean {kind}" in misspelled.err
    assert "No node has the trait CUSTOM_UNUSUALLY. Did you mean CUSTOM_UNUSUAL?" in misspelled.err
    dibs.reservations.delete(held.id)
