"""Every schema of every dialect has bounds, so that the check of a body costs little whatever a client sends."""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import dibs.dialects
from dibs.allocations.model import changes
from dibs.dialects.baremetal.routes import ROUTES as BAREMETAL
from dibs.dialects.compute.routes import ROUTES as COMPUTE
from dibs.dialects.native.routes import ROUTES as NATIVE
from dibs.dialects.placement.routes import ROUTES as PLACEMENT
from dibs.dialects.reservation import schemas as reservation_schemas
from dibs.dialects.reservation.routes import ROUTES as RESERVATION
from dibs.machines.model.patching import node_attributes

ROUTES: tuple[Any, ...] = (BAREMETAL, COMPUTE, NATIVE, PLACEMENT, RESERVATION)
BOUNDS = {"string": "maxLength", "array": "maxItems", "object": "maxProperties"}
PARSED_BY_HAND = (reservation_schemas.NEW, reservation_schemas.CHANGED)
"""Bodies whose schemas are for the documentation only."""


def bodies() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the schema of each body, of older versions too, and of the documents after a patch."""
    routes = [route for routes in ROUTES for route in routes if route.body is not None]
    newest = [route.body for route in routes if route.body not in PARSED_BY_HAND]
    yield from ((f"{route.method} {route.path}", route.body) for route in routes if route.body in newest)
    for found in pkgutil.walk_packages(dibs.dialects.__path__, "dibs.dialects."):
        for name, value in vars(importlib.import_module(found.name)).items():
            if isinstance(value, Mapping) and any(schema in newest for schema in value.values()):
                yield from ((f"{found.name}.{name}[{since}]", schema) for since, schema in value.items())
    yield "allocation after a patch", changes.PATCHED
    yield "node after a patch", node_attributes.PATCHED_NODE


def unbounded(schema: Any, place: str) -> Iterator[str]:
    if isinstance(schema, list):
        for part in schema:
            yield from unbounded(part, place)
    if not isinstance(schema, Mapping):
        return
    for kind in kinds_of(schema):
        closed = kind == "object" and schema.get("additionalProperties") is False and "patternProperties" not in schema
        if kind in BOUNDS and BOUNDS[kind] not in schema and "enum" not in schema and not closed:
            yield f"{place}: a {kind} without {BOUNDS[kind]}"
    for keyword in ("properties", "patternProperties"):
        for name, part in schema.get(keyword, {}).items():
            yield from unbounded(part, f"{place}/{name}")
    for keyword in ("items", "additionalProperties", "anyOf", "oneOf"):
        yield from unbounded(schema.get(keyword), f"{place}/{keyword}")


def kinds_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    kinds = schema.get("type", ())
    return (kinds,) if isinstance(kinds, str) else tuple(kinds)


def test_every_list_object_and_text_of_a_body_has_a_maximum() -> None:
    found = dict(bodies())
    assert len(found) > 40
    assert [problem for name, schema in found.items() for problem in unbounded(schema, name)] == []


@pytest.mark.parametrize("kind", BOUNDS)
def test_a_schema_without_a_maximum_is_found(kind: str) -> None:
    assert list(unbounded({"type": ["array"], "maxItems": 1, "items": {"type": kind}}, "x"))
