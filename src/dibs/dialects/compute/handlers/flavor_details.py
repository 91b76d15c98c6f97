"""Extra specs of a flavor, and the projects that have access to it."""

from collections.abc import Mapping
from typing import Any

from dibs.dialects.compute.errors import bad_request
from dibs.dialects.compute.exchange import Exchange, empty_answer, json_answer
from dibs.dialects.compute.handlers.flavors import flavor_of_path
from dibs.dialects.compute.microversions import STRICT_ACCESS_SINCE
from dibs.dialects.compute.schemas import Schema, closed
from dibs.documents.json_schema import ITEMS_MAX
from dibs.flavors.model.errors import FlavorSpecNotFound
from dibs.flavors.operations.flavors import (
    ChangeFlavorAccess,
    DeleteExtraSpec,
    SetExtraSpecs,
    add_flavor_access,
    delete_extra_spec,
    get_flavor,
    list_flavor_access,
    remove_flavor_access,
    set_extra_specs,
)
from dibs.http.messages import Response

_VALUE: Schema = {"type": ["string", "number", "boolean"], "maxLength": 255}
ONE_SPEC: Schema = {"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": _VALUE}
_SPECS: Schema = {"type": "object", "additionalProperties": _VALUE, "maxProperties": ITEMS_MAX}
SPECS: Schema = closed({"extra_specs": _SPECS}, "extra_specs")
_PROJECT: Schema = closed({"tenant": {"type": "string", "minLength": 1, "maxLength": 255}}, "tenant")
ACTION: Schema = {
    "type": "object",
    "properties": {"addTenantAccess": _PROJECT, "removeTenantAccess": _PROJECT},
    "minProperties": 1,
    "maxProperties": 1,
    "additionalProperties": False,
}
_ADD, _REMOVE = "addTenantAccess", "removeTenantAccess"
_RULES = {
    _ADD: "os_compute_api:os-flavor-access:add_tenant_access",
    _REMOVE: "os_compute_api:os-flavor-access:remove_tenant_access",
}


def list_specs(exchange: Exchange) -> Response:
    """GET /flavors/{flavor}/os-extra_specs"""
    return json_answer({"extra_specs": dict(exchange.read(get_flavor, flavor_of_path(exchange)).extra_specs)})


def create_specs(exchange: Exchange) -> Response:
    """POST /flavors/{flavor}/os-extra_specs"""
    specs = _as_text(exchange.body(SPECS)["extra_specs"])
    _set(exchange, specs)
    return json_answer({"extra_specs": specs})


def show_spec(exchange: Exchange) -> Response:
    """GET /flavors/{flavor}/os-extra_specs/{key}"""
    flavor, key = exchange.read(get_flavor, flavor_of_path(exchange)), exchange.arguments["key"]
    if key not in flavor.extra_specs:
        raise FlavorSpecNotFound(flavor=flavor.flavor, name=key)
    return json_answer({key: flavor.extra_specs[key]})


def change_spec(exchange: Exchange) -> Response:
    """PUT /flavors/{flavor}/os-extra_specs/{key}"""
    specs = _as_text(exchange.body(ONE_SPEC))
    if exchange.arguments["key"] not in specs:
        raise bad_request("Request body and URI mismatch")
    _set(exchange, specs)
    return json_answer(specs)


def delete_spec(exchange: Exchange) -> Response:
    """DELETE /flavors/{flavor}/os-extra_specs/{key}"""
    command = DeleteExtraSpec(
        flavor=exchange.arguments["flavor"], visibility=exchange.visibility, name=exchange.arguments["key"]
    )
    exchange.write(delete_extra_spec, command)
    return empty_answer(200)


def show_access(exchange: Exchange) -> Response:
    """GET /flavors/{flavor}/os-flavor-access"""
    return _access(exchange, exchange.read(list_flavor_access, flavor_of_path(exchange)))


def act(exchange: Exchange) -> Response:
    """POST /flavors/{flavor}/action"""
    ((action, wanted),) = exchange.body(ACTION).items()
    exchange.require(_RULES[action])
    command = ChangeFlavorAccess(
        flavor=exchange.arguments["flavor"],
        visibility=exchange.visibility,
        project=wanted["tenant"],
        strict=exchange.minor >= STRICT_ACCESS_SINCE and action == _ADD,
    )
    return _access(exchange, exchange.write(add_flavor_access if action == _ADD else remove_flavor_access, command))


def _set(exchange: Exchange, specs: Mapping[str, str]) -> None:
    exchange.write(
        set_extra_specs, SetExtraSpecs(flavor=exchange.arguments["flavor"], visibility=exchange.visibility, specs=specs)
    )


def _as_text(specs: Mapping[str, Any]) -> dict[str, str]:
    """Return the values as text. Quirk: Nova accepts numbers and booleans too."""
    return {name: str(value) for name, value in specs.items()}


def _access(exchange: Exchange, projects: list[str]) -> Response:
    flavor = exchange.arguments["flavor"]
    return json_answer({"flavor_access": [{"flavor_id": flavor, "tenant_id": project} for project in projects]})
