"""Valid requests with one invalid part: a value, a key or a branch of the body."""

import copy
import json
from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis import strategies as st

from dibs.http.routing import Route
from tests.attacks import invalid_values
from tests.attacks.apis import Api
from tests.attacks.strategies import YES, below, choose, encode, percent, texts, values
from tests.attacks.target import NODES, Attack

_IDENTS = (
    st.sampled_from([*NODES, *NODES.values(), invalid_values.UNKNOWN, "VCPU", "CUSTOM_CLASS", "CUSTOM_TRAIT"]) | texts
)
_RAW_QUERIES = st.sampled_from(invalid_values.QUERIES) | st.binary(max_size=20)
_RAW_BODIES = st.sampled_from(invalid_values.BODIES) | st.binary(max_size=30) | values.map(encode)
_ACTIONS = st.sampled_from(["replace", "replace", "replace", "remove", "rename", "add"])


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
    route = choose(draw, api.routes)
    attack = valid_attack(api, route)
    places = ["path", "header", "method"] + ["query"] * (4 if route.query else 1) + ["body"] * (5 if attack.body else 1)
    changed = choose(draw, places)
    if changed == "path":
        attack.path = _path(draw, route.path)
    elif changed == "header":
        attack.headers = _headers(draw, api)
    elif changed == "method":
        attack.method = choose(draw, invalid_values.METHODS)
    elif changed == "query":
        attack.query = _query(draw, api, route)
    else:
        attack.body = _body(draw, attack.body)
    return attack


def _path(draw: st.DrawFn, template: str) -> bytes:
    parts = [percent(draw(_IDENTS)) if part.startswith("{") else part.encode() for part in template.split("/")]
    return b"/".join(parts) + (choose(draw, invalid_values.PATH_ENDINGS) if draw(YES) else b"")


def _headers(draw: st.DrawFn, api: Api) -> Mapping[str, bytes]:
    headers = dict(api.headers)
    headers[api.version_header] = choose(draw, [*api.versions, *invalid_values.VERSIONS])
    headers["content-type"] = choose(draw, [b"application/json", *invalid_values.CONTENT_TYPES])
    headers["accept"] = choose(draw, [b"*/*", *invalid_values.ACCEPTS])
    return headers


def _query(draw: st.DrawFn, api: Api, route: Route[Any]) -> bytes:
    """Generate a valid query with a parameter or two added, removed or changed."""
    if draw(below(10)) == 0:
        return draw(_RAW_QUERIES)
    pairs = list(_valid_query(api, route).items())
    names = sorted({*route.query, *api.names})
    for _ in range(1 + draw(below(2))):
        name = choose(draw, names)
        value = draw(texts) if draw(YES) else choose(draw, [*api.query_values, *invalid_values.QUERY_VALUES])
        if draw(below(5)):
            pairs = [pair for pair in pairs if pair[0] != name]
        pairs.append((name, value))
    return b"&".join(name.encode() + b"=" + percent(value) for name, value in pairs)


def _body(draw: st.DrawFn, valid: bytes) -> bytes:
    if not valid or draw(below(10)) == 0:
        return draw(_RAW_BODIES)
    return encode(_mutated(draw, json.loads(valid)))


def _mutated(draw: st.DrawFn, valid: Any) -> Any:
    """Generate the document with one or two members replaced, removed, renamed or duplicated."""
    document = copy.deepcopy(valid)
    # The inserted values are shared by all attacks, so only original members are changed.
    holders = list(_holders(document))
    for _ in range(1 + draw(below(2))):
        places = [(holder, key) for holder in holders for key in _keys(holder)]
        if not places:
            break
        holder, key = choose(draw, places)
        action = draw(_ACTIONS)
        if action == "replace":
            holder[key] = draw(values)
        elif action == "remove":
            del holder[key]
        elif isinstance(holder, list):
            holder.append(draw(values))
        else:
            copied = action == "add" and draw(below(10)) == 0
            holder[draw(_IDENTS)] = holder.pop(key) if action == "rename" else holder[key] if copied else draw(values)
    return document


def _holders(document: Any) -> Iterator[Any]:
    """Yield every object and list in a document."""
    if isinstance(document, dict | list):
        yield document
        for key in _keys(document):
            yield from _holders(document[key])


def _keys(holder: Any) -> list[Any]:
    return list(holder) if isinstance(holder, dict) else list(range(len(holder)))
