"""The reference of the HTTP APIs, one page for each, from the OpenAPI document that the server itself serves."""

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from tables import code, plain, table

from dibs.http.messages import Dialect
from dibs.http.openapi import build_document
from dibs.settings import Settings
from dibs.wiring.processes import build_application


@functools.cache
def dialects() -> Sequence[Dialect]:
    """Return the dialects of a server. Building an application connects to nothing."""
    return list(build_application(Settings()).dialects)


@functools.cache
def document() -> dict[str, Any]:
    """Return the OpenAPI document."""
    return build_document(dialects())


@functools.cache
def pages() -> Mapping[str, str]:
    """Return the pages by path."""
    return {f"reference/http-{tag['name']}.md": _page(tag) for tag in document()["tags"]}


def _page(tag: Mapping[str, Any]) -> str:
    mount = f"/{tag['name']}"
    parts = [
        f"# HTTP: {mount}\n",
        f"{plain(tag['description'])}. Generated from the [OpenAPI document](openapi.json), which a server has at "
        "`/openapi.json`. *Since* is the first microversion with the operation. "
        "What each error means: [Errors](errors.md).\n",
    ]
    noun = None
    for path, methods in sorted(document()["paths"].items()):
        if not (path == mount or path.startswith(mount + "/")):
            continue
        if _noun(path) != noun:
            noun = _noun(path)
            parts.append(f"## {noun}\n")
        parts += [_operation(method, path, said) for method, said in methods.items()]
    return "\n".join([*parts, _documents(tag["name"])])


def _noun(path: str) -> str:
    """Return the first word below the version, which groups paths."""
    words = [word for word in path.split("/")[2:] if word and not (word[0] == "v" and word[1:2].isdigit())]
    return words[0].replace("_", " ") if words else "versions"


def _operation(method: str, path: str, said: Mapping[str, Any]) -> str:
    parts = [f"### {method.upper()} {plain(path)}\n"]
    since = said["x-openstack-min-version"]
    parts.append(f"{plain(said['summary'])}." + (f" *Since 1.{since}.*" if since else "") + "\n")
    if parameters := [_parameter(one) for one in said["parameters"] if one["in"] == "query"]:
        parts.append(table(["query parameter", "type", ""], parameters) + "\n")
    if "requestBody" in said:
        schema = said["requestBody"]["content"]["application/json"]["schema"]
        parts.append(f'??? note "Body"\n\n{_indented(_fenced(schema))}\n')
    own = {status: answer for status, answer in said["responses"].items() if "$ref" not in answer}
    answers = [f"{code(status)} {plain(answer['description'])}" for status, answer in own.items()]
    errors = [code(status) for status in said["responses"] if status not in own]
    parts.append(f"Answers: {'; '.join(answers)} Errors: {', '.join(errors)}.\n")
    for status, answer in own.items():
        if (schema := _json_schema(answer)) and int(status) < 400:
            parts.append(f'??? note "Body of {status}"\n\n{_indented(_fenced(schema))}\n')
    return "\n".join(parts)


def _json_schema(answer: Mapping[str, Any]) -> Any:
    """Return the schema of a JSON body; None when there is no body, or a stream."""
    return answer.get("content", {}).get("application/json", {}).get("schema")


def _documents(tag: str) -> str:
    """Return the documents to which the bodies of responses refer."""
    parts = ["## Documents in responses\n"]
    for name, schema in document()["components"]["schemas"].items():
        if name.startswith(f"{tag}."):
            parts.append(f'??? note "{name}"\n\n{_indented(_fenced(schema))}\n')
    return "\n".join(parts)


def _parameter(one: Mapping[str, Any]) -> list[str]:
    schema = one["schema"]
    since = f" Since {schema['x-since']}." if "x-since" in schema else ""
    return [code(one["name"]), plain(_kind(schema)), plain(schema.get("description", "")) + since]


def _kind(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    kind = schema.get("type", "")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _fenced(schema: Mapping[str, Any]) -> str:
    return f"```json\n{json.dumps(schema, indent=2)}\n```"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in text.splitlines())
