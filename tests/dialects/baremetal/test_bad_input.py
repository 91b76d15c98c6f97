"""Whatever is sent, the answer is never a failure of the server, and what is refused leaves no trace."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dibs.dialects.baremetal.fields import FIELDS
from dibs.dialects.baremetal.routes import ROUTES
from dibs.dialects.baremetal.schemas import PORT, PROVISION
from tests.dialects.baremetal.conversation import Conversation

UUID = "11111111-2222-4333-8444-555555555501"
ODD_TEXT = st.one_of(
    st.text(max_size=300), st.sampled_from(["", "\0", "\ud800", "x" * 5000, "true", UUID, "../..", "%00"])
)
ODD_VALUE = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.integers(min_value=10**30, max_value=10**31), st.floats(), ODD_TEXT
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(ODD_TEXT, inner, max_size=4)),
    max_leaves=8,
)
FIELD_NAMES = st.sampled_from(
    [field.name for field in FIELDS] + list(PORT["properties"]) + list(PROVISION["properties"])
)
BODIES = st.one_of(
    st.dictionaries(st.one_of(FIELD_NAMES, ODD_TEXT), ODD_VALUE, max_size=6).map(
        lambda body: {"driver": "fake-hardware"} | body
    ),
    st.dictionaries(st.one_of(FIELD_NAMES, ODD_TEXT), ODD_VALUE, max_size=6),
    st.lists(
        st.fixed_dictionaries(
            {"op": st.sampled_from(["add", "replace", "remove", "test", "move"])},
            optional={
                "path": st.one_of(
                    st.builds("/{}".format, FIELD_NAMES), st.builds("/{}/{}".format, FIELD_NAMES, ODD_TEXT), ODD_TEXT
                ),
                "value": ODD_VALUE,
            },
        ),
        max_size=3,
    ),
    ODD_VALUE,
)
RAW = st.one_of(BODIES.map(lambda body: json.dumps(body).encode()), st.binary(max_size=100))
CALLS = st.sampled_from([(route.method, route.path) for route in ROUTES])
QUERY_NAMES = sorted({name for route in ROUTES for name in route.query})
VERSION = st.sampled_from([1, 8, 37, 52, 83, 115]).map(lambda minor: f"1.{minor}")

many = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@many
@given(where=CALLS, ident=st.sampled_from([UUID, "n", "nosuch", "bad name!", "x" * 300]), body=RAW, version=VERSION)
def test_no_body_makes_the_server_fail(ask: Conversation, where: Any, ident: str, body: bytes, version: str) -> None:
    # The one before may have deleted it, and without a node most requests would end too soon.
    ask("POST", "/v1/nodes", {"driver": "fake-hardware", "uuid": UUID})
    method, path = where
    filled = path.format(node=ident, port=ident, trait="CUSTOM_A", driver="fake-hardware", conductor="conductor-1")
    assert ask(method, filled, body, version=version).status < 500


@many
@given(
    path=st.sampled_from(["/v1/nodes", "/v1/nodes/detail", "/v1/ports", "/v1/drivers", "/v1/conductors"]),
    query=st.lists(
        st.tuples(st.sampled_from(QUERY_NAMES), st.text(st.characters(exclude_characters="\0", codec="utf-8"))),
        max_size=4,
    ),
    version=VERSION,
)
def test_no_query_makes_the_server_fail(
    ask: Conversation, path: str, query: list[tuple[str, str]], version: str
) -> None:
    assert ask("GET", path, version=version, query=query).status < 500


@pytest.mark.parametrize(
    "field", ["name", "resource_class", "owner", "shard", "conductor_group", "driver", "deploy_interface"]
)
def test_a_megabyte_of_text_is_refused_by_the_name_of_its_field(ask: Conversation, field: str) -> None:
    answer = ask("POST", "/v1/nodes", {"driver": "fake-hardware", field: "x" * 1_000_000})
    assert answer.status == 400
    assert field in answer.reason
    assert len(answer.body) < 5_000
