"""The routing table."""

import pytest

from dibs.http.routing import Match, MethodNotAllowed, NotInVersion, OverlappingRoutes, Route, Router, UnknownPath


def row(line: str, since: int = 1, until: int | None = None) -> Route[str]:
    method, path = line.split()
    return Route(method=method, path=path, handler=f"{line} {since}", since=since, until=until)


ROUTER = Router(
    [
        row("GET /"),
        row("GET /v1"),
        row("GET /v1/nodes"),
        row("POST /v1/nodes"),
        row("GET /v1/nodes/detail", until=42),
        row("GET /v1/nodes/{node}"),
        row("DELETE /v1/nodes/{node}"),
        row("GET /v1/nodes/{node}/traits", since=37),
        row("DELETE /v1/nodes/{ident}/traits/{trait}", since=37),
        row("GET /v1/nodes/special/{x}"),
        row("POST /v1/things", since=2, until=4),
        row("POST /v1/things", since=5),
    ]
)


@pytest.mark.parametrize(
    ("request_line", "minor", "handler", "arguments"),
    [
        ("GET /", 1, "GET / 1", {}),
        ("GET /v1", 1, "GET /v1 1", {}),
        ("GET /v1/nodes/detail", 1, "GET /v1/nodes/detail 1", {}),
        ("GET /v1/nodes/detail", 43, "GET /v1/nodes/{node} 1", {"node": "detail"}),
        ("DELETE /v1/nodes/detail", 1, "DELETE /v1/nodes/{node} 1", {"node": "detail"}),
        ("GET /v1/nodes/special/traits", 40, "GET /v1/nodes/special/{x} 1", {"x": "traits"}),
        ("DELETE /v1/nodes/a/traits/T", 40, "DELETE /v1/nodes/{ident}/traits/{trait} 37", {"ident": "a", "trait": "T"}),
        ("POST /v1/things", 4, "POST /v1/things 2", {}),
        ("POST /v1/things", None, "POST /v1/things 5", {}),
    ],
)
def test_request_matches_its_row(request_line: str, minor: int | None, handler: str, arguments: dict[str, str]) -> None:
    found = ROUTER.resolve(*request_line.split(), minor)
    assert isinstance(found, Match)
    assert (found.route.handler, found.arguments) == (handler, arguments)


@pytest.mark.parametrize("path", ["/v2", "/v1/nodes/a/b", "/v1/nodes//traits", "/v1//nodes", "/v1/nodes/a/traits/b/c"])
def test_path_without_a_row_is_unknown(path: str) -> None:
    assert ROUTER.resolve("GET", path, 99) == UnknownPath()


def test_other_method_is_refused_with_the_methods_of_the_version() -> None:
    assert ROUTER.resolve("PATCH", "/v1/nodes/a", 1) == MethodNotAllowed(("GET", "DELETE"))
    assert ROUTER.resolve("PUT", "/v1/things", 1) == MethodNotAllowed(())


def test_row_of_other_versions_is_reported_as_such() -> None:
    found = ROUTER.resolve("GET", "/v1/nodes/a/traits", 36)
    assert isinstance(found, NotInVersion)
    assert [route.since for route in found.routes] == [37]
    assert found.allowed == ()


@pytest.mark.parametrize(
    "rows",
    [
        [row("GET /a"), row("GET /a")],
        [row("GET /a", 1, 5), row("GET /a", 5)],
        [row("GET /a", 4, 4), row("GET /a", 1, 9)],
        [row("GET /{one}"), row("GET /{other}")],
    ],
)
def test_overlapping_rows_are_an_error(rows: list[Route[str]]) -> None:
    with pytest.raises(OverlappingRoutes):
        Router(rows)
