import uuid

import pytest

from dibs.access.access import EVERY_PROJECT, SERVICE
from dibs.errors import BadValue
from dibs.servers.model.servers import ServerQuery
from dibs.servers.operations.servers import list_servers
from tests.builders import Ledger, trusted
from tests.provider_builders import statements
from tests.server_builders import flavor, host, launch


def names(ledger: Ledger, **query: object) -> list[str]:
    asked = ServerQuery(**{"visibility": EVERY_PROJECT, **query})  # type: ignore[arg-type]
    return [view.server.name for view in ledger.runner.read(list_servers, SERVICE, asked)]


def test_list_has_filters_and_pages(ledger: Ledger) -> None:
    host(ledger, "compute-1", vcpus=3)
    small, other = flavor(ledger, name="s%m"), flavor(ledger, name="s_m")
    for name, size in (("one", small), ("two", other), ("a_b", small), ("acb", small)):
        launch(ledger, size, name=name)
    assert names(ledger) == ["acb", "a_b", "two", "one"]
    assert names(ledger, flavor="s%m") == ["acb", "a_b", "one"]
    assert names(ledger, name="A_B") == ["a_b"]
    assert names(ledger, host="compute-1", statuses=("ACTIVE",)) == ["a_b", "two", "one"]
    assert names(ledger, statuses=("ERROR",)) == ["acb"]
    assert names(ledger, sort_key="name", descending=False, limit=2) == ["a_b", "acb"]
    first = ledger.runner.read(list_servers, SERVICE, ServerQuery(visibility=EVERY_PROJECT, limit=2))
    assert names(ledger, marker=first[-1].server.uuid) == ["two", "one"]
    with pytest.raises(BadValue, match="marker"):
        names(ledger, marker=str(uuid.uuid4()))


def test_list_shows_the_servers_of_the_visible_projects_only(ledger: Ledger) -> None:
    host(ledger, vcpus=3)
    size = flavor(ledger)
    for project in ("p", "q", None):
        launch(ledger, size, trusted(user="u", project=project), name=project or "unowned")
    assert names(ledger, visibility=EVERY_PROJECT) == ["unowned", "q", "p"]
    assert names(ledger, visibility=frozenset({"p"})) == ["p"]
    assert names(ledger, visibility=frozenset({"p", "q"})) == ["q", "p"]
    assert names(ledger, visibility=frozenset({"r"})) == []
    assert names(ledger, visibility=frozenset()) == ["unowned"]


def test_list_takes_as_many_statements_for_many_servers_as_for_one(ledger: Ledger) -> None:
    host(ledger, vcpus=50)
    size = flavor(ledger)
    launch(ledger, size)
    few = statements(ledger, lambda: names(ledger))
    for _ in range(10):
        launch(ledger, size)
    assert statements(ledger, lambda: names(ledger)) == few
