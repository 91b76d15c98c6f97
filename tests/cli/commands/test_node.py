"""``dibs node …``."""

import pytest

from dibs.client import Dibs
from tests.bed.session import Bed
from tests.cli.run_dibs import run
from tests.clients.clouds import enroll, fresh


@pytest.fixture
def url(bed: Bed) -> str:
    return bed.shared_server("sqlite").url


def test_traits_are_added_filtered_by_and_removed(url: str) -> None:
    kind = fresh("class")
    cloud = Dibs.connect(url).connection
    red, blue = (enroll(cloud, resource_class=kind).name for _ in range(2))
    assert run("node", "add", "trait", red, "CUSTOM_RED", "CUSTOM_NEW", url=url).code == 0
    assert run("node", "add", "trait", blue, "CUSTOM_BLUE", url=url).code == 0

    def found(*words: str) -> set[str]:
        listed = run("node", "list", "--resource-class", kind, *words, "-f", "value", "-c", "name", url=url)
        assert listed.code == 0, listed.err
        return set(listed.out.split())

    assert found("--trait", "CUSTOM_RED", "--not-trait", "CUSTOM_BLUE") == {red}
    assert found("--trait", "CUSTOM_RED", "--trait", "CUSTOM_NEW") == {red}
    assert found("--trait-any", "CUSTOM_RED", "CUSTOM_BLUE") == {red, blue}
    assert found("--not-trait-any", "CUSTOM_RED", "CUSTOM_NEW") == {blue}
    assert found("--free", "--limit", "1") in ({red}, {blue})
    assert found("--provision-state", "active") == set()
    assert run("node", "remove", "trait", red, "CUSTOM_NEW", url=url).code == 0
    shown = run("node", "show", red, "-f", "json", url=url).json
    assert (shown["traits"], shown["resource_class"], shown["maintenance"]) == (["CUSTOM_RED"], kind, False)
    assert run("node", "remove", "trait", red, "--all", url=url).code == 0
    assert run("node", "show", red, "-f", "value", "-c", "traits", url=url).out == "\n"
    assert run("node", "remove", "trait", red, "CUSTOM_NEW", url=url).code == 3


def test_remove_trait_requires_traits_or_all(url: str) -> None:
    with pytest.raises(SystemExit):
        run("node", "remove", "trait", "node-1", url=url)


def test_node_is_shown_as_it_was(url: str) -> None:
    dibs = Dibs.connect(url)
    node = enroll(dibs.connection, resource_class=fresh("class"))
    created = dibs.audit(node=node.id, type="node.created")[0]["time"]
    dibs.nodes.add_traits(node.id, "CUSTOM_RED")
    then = run("node", "show", node.name, "--at", created, "-f", "json", url=url).json
    assert (then["uuid"], then["name"]) == (node.id, node.name)
    assert "traits" not in then
    assert run("node", "show", node.id, "--at", "52w", url=url).code != 0
