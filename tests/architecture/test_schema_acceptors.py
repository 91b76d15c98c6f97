"""The generated function of a schema accepts nothing that jsonschema, whose words the APIs have, would refuse."""

from collections.abc import Iterator, Mapping
from typing import Any

from dibs.documents.json_schema import accepts, explain
from tests.architecture.test_schema_bounds import ROUTES, bodies, kinds_of

UUID = "6b0b7f4c-8a8e-4a0f-8e8d-2f5b0c1d2e3a"
ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    1.0,
    1.5,
    -1,
    10**30,
    "",
    "a",
    "A\n",
    " ",
    "é",
    "\0",
    [],
    {},
    [1, True],
)
"""Values of every kind; some are equal in Python and different in JSON."""
TEXTS = ("1", "A", "a.b", "CUSTOM_A", "/a", "0.0", "x" * 300, UUID, UUID.upper(), UUID.replace("-", ""), f"{UUID}\n")


def schemas() -> dict[str, Mapping[str, Any]]:
    """Return the schemas of all bodies and query parameters, by their place."""
    parameters = {
        f"{route.method} {route.path}?{name}": schema
        for routes in ROUTES
        for route in routes
        for name, schema in route.query.items()
    }
    return parameters | dict(bodies())


def values_near(schema: Any, depth: int = 0) -> Iterator[Any]:
    """Yield values at the edges of a schema, within and without."""
    yield from ODD
    if not isinstance(schema, Mapping) or depth > 5:
        return
    yield from schema.get("enum", ())
    for part in schema.get("anyOf", ()):
        yield from values_near(part, depth + 1)
    for kind in kinds_of(schema):
        if kind == "string":
            yield from TEXTS
            yield from (
                "A" * (schema.get(bound, 0) + more) for bound in ("minLength", "maxLength") for more in (-1, 0, 1)
            )
        elif kind in ("integer", "number"):
            edges = [schema[bound] for bound in ("minimum", "maximum", "exclusiveMinimum") if bound in schema]
            yield from (change(edge) for edge in edges for change in (float, lambda n: n - 1, lambda n: n + 1, int))
        elif kind == "array":
            yield from lists_near(schema, depth)
        elif kind == "object":
            yield from objects_near(schema, depth)


def lists_near(schema: Mapping[str, Any], depth: int) -> Iterator[Any]:
    items = list(values_near(schema.get("items"), depth + 1))
    yield from ([item] for item in items)
    valid = first_valid(schema.get("items", {}), items)
    yield from ([valid] * (schema.get(bound, 1) + more) for bound in ("minItems", "maxItems") for more in (0, 1))


def objects_near(schema: Mapping[str, Any], depth: int) -> Iterator[Any]:
    """Yield the smallest valid object, then that object with one member changed, added or removed."""
    near = {name: list(values_near(part, depth + 1)) for name, part in schema.get("properties", {}).items()}
    valid = {name: first_valid(schema["properties"][name], near[name]) for name in schema.get("required", ())}
    yield valid
    yield from ({key: value for key, value in valid.items() if key != name} for name in valid)
    yield from (valid | {name: value} for name, values in near.items() for value in values)
    yield valid | {"unknown": 1}
    for part in (*schema.get("patternProperties", {}).values(), schema.get("additionalProperties")):
        values = list(values_near(part, depth + 1))
        yield from (valid | {name: value} for name in (*TEXTS, "VCPU") for value in values)
    yield from (valid | {str(n): 1 for n in range(size)} for size in (schema.get("maxProperties", 0) + 1,))


def first_valid(schema: Any, values: list[Any]) -> Any:
    return next((value for value in values if explain(schema, value) is None), None)


def test_accepted_values_have_no_mistake() -> None:
    distinct = {repr(schema): (place, schema) for place, schema in schemas().items()}
    assert len(distinct) > 100
    for place, schema in distinct.values():
        values = list(values_near(schema))
        accepted = [value for value in values if accepts(schema, value)]
        assert 0 < len(accepted) < len(values), place
        assert [(place, value, mistake) for value in accepted if (mistake := explain(schema, value))] == []
