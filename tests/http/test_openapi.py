"""The OpenAPI document, built from the rows of a dialect."""

from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from dibs.http.openapi import build_document
from dibs.http.routing import Route
from dibs.settings import Settings
from dibs.wiring.processes import build_application
from tests.http.edge.echo_server import EchoDialect

THING = {"title": "Thing", "type": "object"}
LIST = Route(method="GET", path="/v1/things", handler="list", statuses={200: "things"}, answer={"items": THING})


def described(*rows: Route[str], method: str = "get") -> Any:
    """Return the description of the only path of these rows."""
    ((_, methods),) = build_document([replace(EchoDialect(), operations=rows)])["paths"].items()
    return methods[method]


def statuses(*rows: Route[str], method: str = "get") -> set[int]:
    return {int(status) for status in described(*rows, method=method)["responses"]}


def test_operation_has_its_parameters_body_and_version() -> None:
    (place,) = build_document([EchoDialect()])["paths"].values()
    operation = place["put"]
    assert operation["x-openstack-min-version"] == 7
    assert operation["requestBody"]["content"]["application/json"]["schema"] == {"type": "object"}
    assert [(parameter["name"], parameter["in"]) for parameter in operation["parameters"]] == [
        ("thing", "path"),
        ("limit", "query"),
    ]
    for parameter in operation["parameters"]:
        jsonschema.Draft202012Validator.check_schema(parameter["schema"])


def test_document_with_a_title_is_described_once() -> None:
    document = build_document([EchoDialect()])
    success = document["paths"]["/echo/v1/things/{thing}"]["put"]["responses"]["200"]
    assert success["description"] == "kept"
    assert success["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/echo.Thing"}
    assert document["components"]["schemas"] == {"echo.Thing": THING}


def test_two_documents_with_one_title_are_a_mistake() -> None:
    other = Route(method="PUT", path="/x", handler="x", statuses={200: "x"}, answer={"title": "Thing"})
    with pytest.raises(ValueError, match=r"echo\.Thing"):
        described(LIST, other)


def test_errors_follow_from_method_path_and_body() -> None:
    assert statuses(LIST) == {200, 400, 401, 403, 406, 429, 500, 503}
    changing = Route(method="PUT", path="/v1/things/{thing}", handler="put", body={}, statuses={204: "done"})
    assert statuses(changing, method="put") - statuses(LIST) == {204, 404, 409, 413, 415}
    assert 401 not in statuses(Route(method="GET", path="/v1", handler="root", statuses={200: "versions"}))


def test_error_has_the_schema_of_its_dialect() -> None:
    document = build_document([EchoDialect()])
    reference = document["paths"]["/echo/v1/things/{thing}"]["put"]["responses"]["404"]["$ref"]
    response = document["components"]["responses"][reference.rpartition("/")[2]]
    assert response["content"]["application/json"]["schema"]["required"] == ["echo_error"]


def test_path_of_later_versions_may_be_missing() -> None:
    assert 404 in statuses(LIST, Route(method="PUT", path="/v1/things", handler="put", since=3), method="put")


def test_path_that_changed_has_the_responses_of_every_version() -> None:
    old = Route(method="GET", path="/v1/things", handler="old", until=3, statuses={201: "made"})
    new = Route(method="GET", path="/v1/things", handler="new", since=4, statuses={200: "made"}, answer=THING)
    operation = described(new, old)
    assert "content" in operation["responses"]["200"]
    assert "content" not in operation["responses"]["201"]
    assert operation["x-openstack-min-version"] == 4


def test_every_success_of_every_dialect_has_a_schema_or_no_body() -> None:
    without = [
        f"{method} {path} {status}"
        for path, methods in build_document(build_application(Settings()).dialects)["paths"].items()
        for method, operation in methods.items()
        for status, response in operation["responses"].items()
        if int(status) < 400 and status not in ("202", "204", "304") and "content" not in response
    ]
    assert without == [
        "post /placement/resource_classes 201",
        "put /placement/resource_classes/{name} 201",
        "post /placement/resource_providers 201",
        "put /placement/traits/{name} 201",
        "delete /compute/v2.1/flavors/{flavor}/os-extra_specs/{key} 200",
    ], "only these have no body"
