"""Valid requests with one invalid part: a value, a key or a branch of the body."""

import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from dibs.http.routing import Route
from tests.attacks import invalid_values
from tests.attacks.apis import Api
from tests.attacks.strategies import encode, percent, texts, values
from tests.attacks.target import NODES, Attack

_IDENTS = (
    st.sampled_from([*NODES, *NODES.values(), invalid_values.UNKNOWN, "VCPU", "CUSTOM_CLASS", "CUSTOM_TRAIT"]) | texts
)


def valid_attack(api: Api, route: Route[Any]) -> Attack:
    """Return the valid request of a route."""
    path = route.path
    for name, value in api.arguments.items():
        path = path.replace(f"{{{name}}}", value)
    body = api.bodies.get((route.method, route.path))
    query = "&".join(f"{name}={value}" for name, value in _valid_query(api, route).items())
    encoded = b"" if body is None else encode(body)
    return Attack(route.method, path.encode(), query.encode(), encoded, api.headers, api.mount)


def _valid_query(api: Api, route: Route[Any]) -> dict[str, str]:
    return dict(api.queries.get(route.path, {})) if route.method == "GET" else {}


@st.composite
def attacks_on(draw: st.DrawFn, api: Api) -> Attack:
    """Generate requests to any route, with invalid data in one place."""
    route = draw(st.sampled_from(list(api.routes)))
    attack = valid_attack(api, route)
    places = ["path", "header", "method"] + ["query"] * (4 if route.query else 1) + ["body"] * (5 if attack.body else 1)
    changed = draw(st.sampled_from(places))
    if changed == "path":
        attack.path = draw(_paths(route.path))
    elif changed == "header":
        attack.headers = draw(_headers(api))
    elif changed == "method":
        attack.method = draw(st.sampled_from(invalid_values.METHODS))
    elif changed == "query":
        attack.query = draw(_queries(api, route))
    else:
        attack.body = draw(_bodies(attack.body))
    return attack


@st.composite
def _paths(draw: st.DrawFn, template: str) -> bytes:
    parts = [percent(draw(_IDENTS)) if part.startswith("{") else part.encode() for part in template.split("/")]
    return b"/".join(parts) + (draw(st.sampled_from(invalid_values.PATH_ENDINGS)) if draw(st.booleans()) else b"")


@st.composite
def _headers(draw: st.DrawFn, api: Api) -> dict[str, bytes]:
    headers = dict(api.headers)
    headers[api.version_header] = draw(st.sampled_from([*api.versions, *invalid_values.VERSIONS]))
    headers["content-type"] = draw(st.sampled_from([b"application/json", *invalid_values.CONTENT_TYPES]))
    headers["accept"] = draw(st.sampled_from([b"*/*", *invalid_values.ACCEPTS]))
    return headers


@st.composite
def _queries(draw: st.DrawFn, api: Api, route: Route[Any]) -> bytes:
    """Generate a valid query with a parameter or two added, removed or changed."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from(invalid_values.QUERIES) | st.binary(max_size=20))
    pairs = list(_valid_query(api, route).items())
    names = sorted({*route.query, *api.names})
    for name in draw(st.lists(st.sampled_from(names), min_size=1, max_size=2)):
        value = draw(st.sampled_from([*api.query_values, *invalid_values.QUERY_VALUES]) | texts)
        if draw(st.integers(0, 4)):
            pairs = [pair for pair in pairs if pair[0] != name]
        pairs.append((name, value))
    return b"&".join(name.encode() + b"=" + percent(value) for name, value in pairs)


def _bodies(valid: bytes) -> st.SearchStrategy[bytes]:
    raw = st.sampled_from(invalid_values.BODIES) | st.binary(max_size=30) | values.map(encode)
    if not valid:
        return raw
    return st.integers(0, 9).flatmap(lambda dice: raw if dice == 0 else _mutated(json.loads(valid)).map(encode))


@st.composite
def _mutated(draw: st.DrawFn, valid: Any) -> Any:
    """Generate the document with one or two members replaced, removed, renamed or duplicated."""
    document = copy.deepcopy(valid)
    # The inserted values are shared by all attacks, so only original members are changed.
    holders = list(_holders(document))
    for _ in range(draw(st.integers(1, 2))):
        places = [(holder, key) for holder in holders for key in _keys(holder)]
        if not places:
            break
        holder, key = draw(st.sampled_from(places))
        action = draw(st.sampled_from(["replace", "replace", "replace", "remove", "rename", "add"]))
        if action == "replace":
            holder[key] = draw(values)
        elif action == "remove":
            del holder[key]
        elif isinstance(holder, list):
            holder.append(draw(values))
        else:
            holder[draw(_IDENTS)] = holder.pop(key) if action == "rename" else draw(values | st.just(holder[key]))
    return document


def _holders(document: Any) -> Iterator[Any]:
    """Yield every object and list in a document."""
    if isinstance(document, dict | list):
        yield document
        for key in _keys(document):
            yield from _holders(document[key])


def _keys(holder: Any) -> list[Any]:
    return list(holder) if isinstance(holder, dict) else list(range(len(holder)))
