"""``dibs audit``."""

from dibs.client import Dibs
from tests.bed.session import Bed
from tests.cli.run_dibs import run
from tests.clients.clouds import enroll, fresh


def test_changes_of_a_node_are_listed_newest_first(bed: Bed) -> None:
    url = bed.shared_server("sqlite").url
    dibs = Dibs.connect(url)
    node = enroll(dibs.connection, resource_class=fresh("class"))
    dibs.nodes.add_traits(node.id, "CUSTOM_A")
    rows = run("audit", "--node", node.name, "--since", "1w", "-f", "json", url=url).json
    assert rows[0]["change"] == {"before": {"traits": []}, "after": {"traits": ["CUSTOM_A"]}}
    assert rows[-1]["type"] == "node.created"
    assert {row["node"] for row in rows} == {node.id}
    table = run("audit", "--node", node.id, "--type", "node.changed", "--limit", "1", url=url)
    assert "traits: [] -> ['CUSTOM_A']" in table.out
    assert run("audit", "--node", node.id, "--until", "1w", "-f", "json", url=url).json == []
