"""Every page of a list of 10,000 nodes with traits takes the same few statements.

The number of statements is that of the code, so one engine shows it. test_node_pages.py runs the queries on each.
"""

import json
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from dibs.access.actor import SERVICE_ACTOR
from dibs.database import Store
from dibs.dialects.baremetal import Baremetal
from dibs.drivers import DRIVERS
from dibs.http.messages import Request
from dibs.wiring.hooks import build_runner
from tests.builders import Clock
from tests.fleet import fill, traits_of, uuid_of
from tests.laws import assert_lawful

COUNT, PAGE = 10_000, 1_000


@pytest.mark.one_engine
def test_every_page_of_ten_thousand_nodes_with_traits_takes_the_same_few_statements(
    store: Store, database_url: str
) -> None:
    fill(database_url, COUNT)
    dialect = Baremetal(build_runner(store, Clock()), DRIVERS, wake=lambda: None)
    statements, found = [], {}
    link: str | None = f"http://dibs/baremetal/v1/nodes?fields=uuid,traits&limit={PAGE}"
    while link is not None:
        before = store.statistics.statements
        page = get(dialect, link)
        statements.append(store.statistics.statements - before)
        found.update({node["uuid"]: node["traits"] for node in page["nodes"]})
        link = page.get("next")
    assert found == {uuid_of(number): traits_of(number) for number in range(COUNT)}
    # The first page has no marker to look up. The tenth page is full, so the client also requests an empty eleventh.
    assert statements == [2, *[3] * (COUNT // PAGE)]
    assert_lawful(database_url)


def get(dialect: Baremetal, link: str) -> dict[str, Any]:
    parts = urlsplit(link)
    request = Request(
        method="GET",
        path=parts.path.removeprefix("/baremetal"),
        query=tuple(parse_qsl(parts.query)),
        headers={"x-openstack-ironic-api-version": "1.80"},
        base_url="http://dibs/baremetal",
        request_id="req-1",
        actor=SERVICE_ACTOR,
    )
    response = dialect.answer(request)
    assert response.status == 200, response.body
    document: dict[str, Any] = json.loads(response.body)
    return document
