"""Requests with one invalid part; the rest is valid, so that the server processes them as far as possible."""

import functools
import json
from collections.abc import Sequence
from typing import Any, TypeVar
from urllib.parse import quote

from hypothesis import strategies as st

from dibs.dialects.baremetal.documents.node_values import PATCHABLE
from dibs.dialects.baremetal.routes import ROUTES
from dibs.machines.model import states
from tests.attacks import invalid_values
from tests.attacks.target import HOLD, INSTANCE, NEWEST, NODES, PORT, Attack

texts = st.sampled_from(invalid_values.TEXTS) | st.text(max_size=20)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = (
    st.sampled_from(invalid_values.VALUES)
    | scalars
    | st.lists(scalars, max_size=3)
    | st.dictionaries(texts, scalars | st.dictionaries(texts, scalars, max_size=2), max_size=3)
)

# Strategies are built once: Hypothesis validates each new one, which takes longer than sending the request.
Value = TypeVar("Value")
YES = st.booleans()


@functools.cache
def below(count: int) -> st.SearchStrategy[int]:
    """Generate numbers from zero up to a number."""
    return st.integers(0, count - 1)


def choose(draw: st.DrawFn, choices: Sequence[Value]) -> Value:
    """Draw one of some values, which differ from attack to attack."""
    return choices[draw(below(len(choices)))]


# --- bodies -----------------------------------------------------------------------------------------------------------

_RAW = st.sampled_from(invalid_values.BODIES) | st.binary(max_size=30)
_TARGETS = st.sampled_from([*states.VERBS, *states.ALIASES])
_NAMES = st.lists(texts, max_size=1)
_STEP = {"interface": "deploy", "step": "hold", "args": {}, "priority": 1}
_VALID = {
    "nodes": {"driver": "fake-hardware"},
    "ports": {"node_uuid": NODES["available"], "address": "52:54:00:00:00:99"},
    "power": {"target": "power on"},
    "provision": {"target": "manage"},
    "boot_device": {"boot_device": "pxe"},
    "traits": {"traits": ["CUSTOM_C"]},
    "maintenance": {"reason": "broken"},
    "reservations": {"instance_uuid": invalid_values.UNKNOWN, "node_uuid": [NODES["available"]]},
    "renew": {"ttl_seconds": 60},
    "allocations": {"resource_class": "large"},
    "portgroups": {"node_uuid": NODES["available"]},
    "connectors": {"node_uuid": NODES["available"], "type": "iqn", "connector_id": "iqn.2090-01.example:1"},
    "targets": {"node_uuid": NODES["available"], "volume_type": "iscsi", "boot_index": 0, "volume_id": "v1"},
    "vifs": {"id": invalid_values.UNKNOWN},
    "chassis": {"description": "rack 1"},
}
"""A valid body, by the last part of the path."""


@st.composite
def _documents(draw: st.DrawFn, kind: str, names: st.SearchStrategy[list[str]]) -> dict[str, Any]:
    """Generate a valid body with a field or two changed."""
    document: dict[str, Any] = dict(_VALID[kind])
    if kind == "provision":
        document["target"] = draw(_TARGETS)
        if draw(YES):
            document["clean_steps" if document["target"] == "clean" else "deploy_steps"] = [_STEP]
    for name in draw(names):
        document[name] = draw(values)
    return document


def _patches(patchable: list[str]) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Generate well-formed and malformed patches."""
    paths = st.sampled_from([f"/{name}" for name in patchable])
    inner = st.builds("/{}/{}".format, st.sampled_from(patchable), st.sampled_from(["a", "-", "0", "traits", "~1"]))
    valid = {"op": st.sampled_from(["add", "replace", "remove"]), "path": paths | inner, "value": values}
    any_path = {**valid, "path": st.sampled_from(invalid_values.PATCH_PATHS)}
    anything = {**valid, "op": values, "path": values, "from": texts}
    return st.one_of(
        st.lists(st.fixed_dictionaries(valid), min_size=1, max_size=2),
        st.lists(st.fixed_dictionaries(valid) | st.fixed_dictionaries(any_path), min_size=1, max_size=3),
        st.lists(st.fixed_dictionaries({}, optional=anything), max_size=2),
    )


def _bodies(method: str, path: str, schema: Any) -> st.SearchStrategy[bytes]:
    kind = path.rpartition("/")[2]
    valid: st.SearchStrategy[Any] = values
    if method == "PATCH":
        patchable = list(PATCHABLE) if "nodes" in path else ["address", "extra", "name", "local_link_connection"]
        valid = _patches(patchable)
    elif schema is not None:
        fields = st.sampled_from(sorted(schema["properties"]))
        valid = _documents(kind, st.lists(fields, min_size=1, max_size=2) | _NAMES)
    return st.one_of(_RAW, values.map(encode), valid.map(encode), valid.map(encode), valid.map(encode))


def encode(document: Any) -> bytes:
    """Return the value as JSON."""
    return json.dumps(document).encode()


_BODIES = {(route.method, route.path): _bodies(route.method, route.path, route.body) for route in ROUTES}

# --- the rest of a request --------------------------------------------------------------------------------------------

VALID_ARGUMENTS = {
    "driver": "fake-hardware",
    "conductor": "conductor-1",
    "port": PORT,
    "trait": "CUSTOM_A",
    "reservation": HOLD,
    "allocation": INSTANCE,
}
_NODE_UUIDS = st.sampled_from(list(NODES.values()))
_ENDINGS = st.sampled_from(invalid_values.PATH_ENDINGS)
_QUERY_TEXTS = st.sampled_from(invalid_values.QUERIES) | st.binary(max_size=20)
_QUERY_VALUES = st.sampled_from(invalid_values.QUERY_VALUES) | texts
idents = st.sampled_from([*NODES, PORT, HOLD, invalid_values.UNKNOWN, NODES["available"].upper()]) | texts


def percent(text: str) -> bytes:
    """Return any text as part of a path."""
    return quote(text.encode("utf-8", "surrogatepass"), safe="").encode()


def _path(draw: st.DrawFn, template: str, invalid: bool) -> bytes:
    """Generate the path of a route with a value for each parameter."""
    parts = []
    for part in template.split("/"):
        name = part[1:-1]
        if not part.startswith("{"):
            parts.append(part.encode())
        elif invalid:
            parts.append(percent(draw(idents)))
        else:
            parts.append(percent(VALID_ARGUMENTS.get(name) or draw(_NODE_UUIDS)))
    path = b"/".join(parts)
    return path + draw(_ENDINGS) if invalid and draw(YES) else path


@functools.cache
def _some_of(names: tuple[str, ...], unique: bool) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(names), max_size=3, unique=unique)


def _query(draw: st.DrawFn, names: tuple[str, ...]) -> bytes:
    if not names or draw(below(10)) == 0:
        return draw(_QUERY_TEXTS)
    chosen = draw(_some_of(names, draw(below(10)) > 0))
    pairs = [(name, draw(_QUERY_VALUES)) for name in chosen]
    return b"&".join(name.encode() + b"=" + percent(value) for name, value in pairs)


_ROUTES = st.sampled_from(ROUTES)
_PATCH_ROUTES = st.sampled_from([route for route in ROUTES if route.method == "PATCH"])
_QUERY_ROUTES = st.sampled_from([route for route in ROUTES if route.query])


@st.composite
def attacks(draw: st.DrawFn) -> Attack:
    """Generate requests to any route, with invalid data in one place."""
    route = draw(_ROUTES)
    places = ["path", "query", "header", "method"] + ["body"] * (4 if route.body else 1)
    changed = choose(draw, places)
    headers = {"x-openstack-ironic-api-version": NEWEST.encode(), "content-type": b"application/json"}
    if changed == "header":
        headers["x-openstack-ironic-api-version"] = choose(draw, invalid_values.VERSIONS)
        headers["content-type"] = choose(draw, [b"application/json", *invalid_values.CONTENT_TYPES])
        headers["accept"] = choose(draw, [b"*/*", *invalid_values.ACCEPTS])
    valid_body = _VALID.get(route.path.rpartition("/")[2]) if route.method in ("POST", "PUT") else None
    body = b"" if valid_body is None else encode(valid_body)
    if changed == "body":
        body = draw(_BODIES[route.method, route.path])
    return Attack(
        method=choose(draw, invalid_values.METHODS) if changed == "method" else route.method,
        path=_path(draw, route.path, changed == "path"),
        query=_query(draw, tuple(sorted(route.query))) if changed == "query" else b"",
        body=body,
        headers=headers,
    )


@st.composite
def patch_attacks(draw: st.DrawFn) -> Attack:
    """Generate patches, which cause most errors inside a transaction."""
    route = draw(_PATCH_ROUTES)
    body = draw(_BODIES["PATCH", route.path])
    return Attack.of("PATCH", _path(draw, route.path, False).decode(), body)


@st.composite
def query_attacks(draw: st.DrawFn) -> Attack:
    """Generate lists with invalid values for every filter."""
    route = draw(_QUERY_ROUTES)
    version = {"x-openstack-ironic-api-version": choose(draw, [NEWEST.encode(), NEWEST.encode(), b"1.40"])}
    return Attack("GET", _path(draw, route.path, False), _query(draw, tuple(sorted(route.query))), b"", version)
