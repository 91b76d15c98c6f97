"""Requests that are valid except for one place: a value, a key or a branch of the body."""

import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from dibs.http.routing import Route
from tests.attacks import rubbish
from tests.attacks.doors import Door
from tests.attacks.strategies import encode, percent, texts, values
from tests.attacks.target import NODES, Attack

_IDENTS = st.sampled_from([*NODES, *NODES.values(), rubbish.UNKNOWN, "VCPU", "CUSTOM_CLASS", "CUSTOM_TRAIT"]) | texts


def sound_attack(door: Door, route: Route[Any]) -> Attack:
    """Return the valid request of a route."""
    path = route.path
    for name, value in door.arguments.items():
        path = path.replace(f"{{{name}}}", value)
    body = door.bodies.get((route.method, route.path))
    query = "&".join(f"{name}={value}" for name, value in _sound_query(door, route).items())
    encoded = b"" if body is None else encode(body)
    return Attack(route.method, path.encode(), query.encode(), encoded, door.headers, door.mount)


def _sound_query(door: Door, route: Route[Any]) -> dict[str, str]:
    return dict(door.queries.get(route.path, {})) if route.method == "GET" else {}


@st.composite
def attacks_on(draw: st.DrawFn, door: Door) -> Attack:
    """Generate requests to any route, with invalid data in one place."""
    route = draw(st.sampled_from(list(door.routes)))
    attack = sound_attack(door, route)
    places = ["path", "header", "method"] + ["query"] * (4 if route.query else 1) + ["body"] * (5 if attack.body else 1)
    spoilt = draw(st.sampled_from(places))
    if spoilt == "path":
        attack.path = draw(_paths(route.path))
    elif spoilt == "header":
        attack.headers = draw(_headers(door))
    elif spoilt == "method":
        attack.method = draw(st.sampled_from(rubbish.METHODS))
    elif spoilt == "query":
        attack.query = draw(_queries(door, route))
    else:
        attack.body = draw(_bodies(attack.body))
    return attack


@st.composite
def _paths(draw: st.DrawFn, template: str) -> bytes:
    parts = [percent(draw(_IDENTS)) if part.startswith("{") else part.encode() for part in template.split("/")]
    return b"/".join(parts) + (draw(st.sampled_from(rubbish.PATH_ENDINGS)) if draw(st.booleans()) else b"")


@st.composite
def _headers(draw: st.DrawFn, door: Door) -> dict[str, bytes]:
    headers = dict(door.headers)
    headers[door.version_header] = draw(st.sampled_from([*door.versions, *rubbish.VERSIONS]))
    headers["content-type"] = draw(st.sampled_from([b"application/json", *rubbish.CONTENT_TYPES]))
    headers["accept"] = draw(st.sampled_from([b"*/*", *rubbish.ACCEPTS]))
    return headers


@st.composite
def _queries(draw: st.DrawFn, door: Door, route: Route[Any]) -> bytes:
    """Generate a valid query with a parameter or two added, removed or changed."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from(rubbish.QUERIES) | st.binary(max_size=20))
    pairs = list(_sound_query(door, route).items())
    names = sorted({*route.query, *door.names})
    for name in draw(st.lists(st.sampled_from(names), min_size=1, max_size=2)):
        value = draw(st.sampled_from([*door.query_values, *rubbish.QUERY_VALUES]) | texts)
        if draw(st.integers(0, 4)):
            pairs = [pair for pair in pairs if pair[0] != name]
        pairs.append((name, value))
    return b"&".join(name.encode() + b"=" + percent(value) for name, value in pairs)


def _bodies(sound: bytes) -> st.SearchStrategy[bytes]:
    raw = st.sampled_from(rubbish.BODIES) | st.binary(max_size=30) | values.map(encode)
    if not sound:
        return raw
    return st.integers(0, 9).flatmap(lambda dice: raw if dice == 0 else _spoilt(json.loads(sound)).map(encode))


@st.composite
def _spoilt(draw: st.DrawFn, sound: Any) -> Any:
    """Generate the document with one or two members replaced, removed, renamed or duplicated."""
    document = copy.deepcopy(sound)
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
