"""Build the OpenAPI 3.1 document from the routing tables and schemas of the dialects."""

import re
from collections.abc import Iterable
from typing import Any

from dibs.http.messages import Dialect, Operation

_PARAMETER = re.compile(r"\{(\w+)\}")
_JSON = "application/json"


def build_document(dialects: Iterable[Dialect]) -> dict[str, Any]:
    """Describe every operation of every dialect."""
    paths: dict[str, dict[str, Any]] = {}
    tags = []
    for dialect in dialects:
        tag = dialect.mount.removeprefix("/")
        tags.append({"name": tag, "description": dialect.title})
        for operation in dialect.operations:
            place = paths.setdefault(dialect.mount + operation.path.rstrip("/"), {})
            method = operation.method.lower()
            # OpenAPI allows one description of a method and path: the newest row.
            known = place.get(method)
            if known is None or known["x-openstack-min-version"] <= operation.since:
                place[method] = _describe(operation, tag)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Dibs",
            "version": "1",
            "description": "Which machine may I have, and when?",
        },
        "tags": tags,
        "paths": paths,
    }


def _describe(operation: Operation, tag: str) -> dict[str, Any]:
    described: dict[str, Any] = {
        "tags": [tag],
        "summary": operation.summary,
        "parameters": _parameters(operation),
        "responses": {str(status): {"description": text} for status, text in sorted(operation.statuses.items())}
        or {"default": {"description": "See the dialect's own documentation."}},
        "x-openstack-min-version": operation.since,
    }
    if operation.body is not None:
        described["requestBody"] = {
            "required": True,
            "content": {_JSON: {"schema": dict(operation.body)}},
        }
    return described


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    in_path = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in _PARAMETER.findall(operation.path)
    ]
    in_query = [{"name": name, "in": "query", "schema": dict(schema)} for name, schema in operation.query.items()]
    return in_path + in_query
