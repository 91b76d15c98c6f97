"""Build the OpenAPI 3.1 document from the routing tables and schemas of the dialects.

The document has every status that an operation may answer, with the schema of its body, so that tests can compare each
response with it. A response schema with a ``title`` becomes a component that the operations refer to.
"""

import http
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dibs.http.messages import Dialect, Operation

_PARAMETER = re.compile(r"\{(\w+)\}")
_JSON = "application/json"

_ALWAYS = frozenset({400, 406, 429, 500, 503})
_AUTHENTICATED = frozenset({401, 403})
_WITH_BODY = frozenset({413})
_ON_CHANGE = frozenset({409})
_UNKNOWN_URLS = (404, 405)
"""A path or a method that the document does not have: tools look for these among the components."""

_MEANINGS: Mapping[int, str] = {
    400: "The request is malformed, or one of its values is not allowed.",
    401: "The request has no valid credentials.",
    403: "The policy does not allow this to the caller.",
    404: "The object does not exist, the caller may not see it, or the requested version does not have the path.",
    405: "The path, or the requested version of it, does not have this method.",
    406: "The server does not have the requested version, or the client does not accept JSON.",
    409: "The state of an object does not allow this, or another request changed it first.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    429: "The caller sends too many requests; the Retry-After header says when to try again.",
    500: "The server failed; its log has the details.",
    503: "The server or its database is not available; the Retry-After header says when to try again.",
}


def build_document(dialects: Iterable[Dialect]) -> dict[str, Any]:
    """Describe every operation of every dialect."""
    paths: dict[str, dict[str, Any]] = {}
    tags = []
    components = _Components()
    for dialect in dialects:
        tag = dialect.mount.removeprefix("/")
        tags.append({"name": tag, "description": dialect.title})
        for status in _UNKNOWN_URLS:
            components.error(dialect, tag, status)
        for rows in _rows_by_url(dialect.operations):
            place = paths.setdefault(dialect.mount + rows[0].path.rstrip("/"), {})
            place[rows[0].method.lower()] = _describe(dialect, rows, tag, components)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Dibs",
            "version": "1",
            "description": "Which machine may I have, and when?",
        },
        "tags": tags,
        "paths": paths,
        "components": {"schemas": components.schemas, "responses": components.responses},
    }


class _Components:
    """The parts of the document that several operations share."""

    def __init__(self) -> None:
        self.schemas: dict[str, Any] = {}
        self.responses: dict[str, Any] = {}

    def error(self, dialect: Dialect, tag: str, status: int) -> dict[str, str]:
        """Return a reference to the error response of a dialect with this status."""
        name = f"{tag}.{status}"
        if name not in self.responses:
            text = _MEANINGS.get(status, f"{http.HTTPStatus(status).phrase}.")
            self.responses[name] = {"description": text, "content": _content(dialect.error_content(status))}
        return {"$ref": f"#/components/responses/{name}"}

    def share(self, schema: Any, tag: str) -> Any:
        """Return the schema with a reference in place of each part that has a title."""
        if isinstance(schema, list | tuple):
            return [self.share(each, tag) for each in schema]
        if not isinstance(schema, Mapping):
            return schema
        shared = {key: self.share(value, tag) for key, value in schema.items()}
        title = schema.get("title")
        if not isinstance(title, str):
            return shared
        name = f"{tag}.{title}"
        if self.schemas.setdefault(name, shared) != shared:
            raise ValueError(f"two different response schemas are called {name}")
        return {"$ref": f"#/components/schemas/{name}"}


def _rows_by_url(operations: Iterable[Operation]) -> list[list[Operation]]:
    """Return the rows of each method and path, the oldest first; the order of the table is kept otherwise."""
    by_url: dict[tuple[str, str], list[Operation]] = {}
    for operation in operations:
        by_url.setdefault((operation.path, operation.method), []).append(operation)
    return [sorted(rows, key=lambda row: row.since) for rows in by_url.values()]


def _describe(dialect: Dialect, rows: Sequence[Operation], tag: str, components: _Components) -> dict[str, Any]:
    """Describe one method and path: its newest row, with the responses of all rows."""
    newest = rows[-1]
    described: dict[str, Any] = {
        "tags": [tag],
        "summary": newest.summary,
        "parameters": _parameters(newest),
        "responses": _responses(dialect, rows, tag, components),
        "x-openstack-min-version": newest.since,
    }
    if newest.until is not None:
        described["x-openstack-max-version"] = newest.until
    if newest.body is not None:
        described["requestBody"] = {
            "required": True,
            "content": {_JSON: {"schema": dict(newest.body)}},
        }
    return described


def _responses(dialect: Dialect, rows: Sequence[Operation], tag: str, components: _Components) -> dict[str, Any]:
    documented: dict[int, Any] = {
        status: components.error(dialect, tag, status) for status in _error_statuses(dialect, rows)
    }
    for status in {status for row in rows for status in row.statuses}:
        having = [row for row in rows if status in row.statuses]
        documented[status] = {"description": having[-1].statuses[status]}
        if status >= 400:
            documented[status]["content"] = _content(dialect.error_content(status))
        elif bodies := _distinct(components.share(row.answer, tag) for row in having if _has_body(row, status)):
            schema = bodies[0] if len(bodies) == 1 else {"anyOf": bodies}
            documented[status]["content"] = _content({having[-1].answer_type: schema})
    return {str(status): documented[status] for status in sorted(documented)}


def _has_body(row: Operation, status: int) -> bool:
    return row.answer is not None and status not in (http.HTTPStatus.NO_CONTENT, http.HTTPStatus.NOT_MODIFIED)


def _distinct(schemas: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for schema in schemas:
        if schema not in found:
            found.append(schema)
    return found


def _content(schemas: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a response with a schema for each media type."""
    return {media_type: {"schema": schema} for media_type, schema in schemas.items()}


def _error_statuses(dialect: Dialect, rows: Sequence[Operation]) -> frozenset[int]:
    """Return the statuses of errors that requests to one method and path may have."""
    newest = rows[-1]
    statuses = set(_ALWAYS).union(*(row.refusals for row in rows))
    if newest.path not in dialect.public_paths:
        statuses |= _AUTHENTICATED
    if _names_objects(newest) or _is_missing_in_some_version(dialect, rows):
        statuses.add(404)
    if newest.method != "GET":
        statuses |= _ON_CHANGE
    if newest.body is not None:
        statuses |= _WITH_BODY if dialect.checks_media_types else _WITH_BODY | {415}
    return frozenset(statuses)


def _names_objects(operation: Operation) -> bool:
    """Return True when a request may name an object that does not exist: in its path, its query or its body."""
    return bool(_PARAMETER.search(operation.path) or operation.query or operation.body)


def _is_missing_in_some_version(dialect: Dialect, rows: Sequence[Operation]) -> bool:
    oldest = min(row.since for row in dialect.operations)
    return rows[0].since > oldest or rows[-1].until is not None


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    in_path = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in _PARAMETER.findall(operation.path)
    ]
    in_query = [
        {"name": name, "in": "query", "required": name in operation.required_query, "schema": dict(schema)}
        for name, schema in operation.query.items()
    ]
    return in_path + in_query
