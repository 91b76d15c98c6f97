"""Provision verbs: their versions and arguments. ``machines.model.states`` says in which states each is allowed."""

import re
from collections.abc import Mapping
from typing import Any

from dibs.dialects.baremetal import schemas
from dibs.dialects.baremetal.documents.idents import location, node_in_path
from dibs.dialects.baremetal.errors import Refusal, bad_request, not_acceptable
from dibs.dialects.baremetal.exchange import Exchange, empty_answer
from dibs.http.messages import Response
from dibs.machines.model import states
from dibs.machines.model.patching.values import read_flag, read_uuid
from dibs.machines.operations import provisioning as operations

VERBS_SINCE: Mapping[str, int] = {
    states.MANAGE: 4,
    states.PROVIDE: 4,
    states.INSPECT: 6,
    states.ABORT: 13,
    states.CLEAN: 15,
    states.ADOPT: 17,
    states.RESCUE: 38,
    states.UNRESCUE: 38,
    states.DEPLOY: 73,
    states.UNDEPLOY: 73,
    states.UNHOLD: 85,
    states.SERVICE: 87,
}
"""First versions of verbs that 1.1 does not have."""

ABORT_SINCE: Mapping[str, int] = {states.INSPECT_WAIT: 41, states.DEPLOY_WAIT: 110}
"""States in which abort came later than the verb itself."""

_DEPLOYS = (states.DEPLOY, states.REBUILD)
_STEPS_OF = {"clean_steps": states.CLEAN, "service_steps": states.SERVICE}
_RULE = "baremetal:node:set_provision_state"
_STEP_RULES = {
    "clean_steps": f"{_RULE}:clean_steps",
    "service_steps": f"{_RULE}:service_steps",
}
_NEEDS = {
    states.CLEAN: ("clean_steps", '"clean_steps" is required when setting target provision state to clean'),
    states.SERVICE: ("service_steps", '"service_steps" is required when setting target provision state to service'),
    states.RESCUE: (
        "rescue_password",
        'A non-empty "rescue_password" is required when setting target provision state to rescue',
    ),
}
_DISABLE_RAMDISK_SINCE = {states.CLEAN: 70, states.SERVICE: 108}
_REBUILD_CONFIGDRIVE_SINCE = 35
_DEPLOY_STEPS_SINCE = 69
_BUILD_CONFIGDRIVE_SINCE = 56
_VENDOR_DATA_SINCE = 59
_RESERVATION_SINCE = 37

_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*\Z")


def set_provision_state(exchange: Exchange) -> Response:
    """PUT /v1/nodes/{node}/states/provision"""
    ident = node_in_path(exchange)
    body = exchange.body("body", schemas.PROVISION)
    target = body.get("target")
    if target is None:
        raise bad_request("Missing mandatory parameter: target")
    if VERBS_SINCE.get(target, 1) > exchange.minor:
        raise not_acceptable()
    _check_arguments(states.ALIASES.get(target, target), body, exchange.minor)
    command = operations.RequestProvision(
        ident=ident,
        rules=(_RULE, *(rule for name, rule in _STEP_RULES.items() if body.get(name))),
        verb=target,
        unoffered_states=_unoffered_states(target, exchange.minor),
        clean_steps=body.get("clean_steps"),
        deploy_steps=body.get("deploy_steps"),
        service_steps=body.get("service_steps"),
        rescue_password=body.get("rescue_password"),
        configdrive=body.get("configdrive"),
        hold_uuid=_reservation(states.ALIASES.get(target, target), body.get("reservation_uuid"), exchange.minor),
    )
    exchange.write(operations.request_provision, command)
    exchange.services.wake()
    return empty_answer(202, location(exchange, "nodes", ident, "states"))


def _unoffered_states(target: str, minor: int) -> frozenset[str]:
    """Return the states in which the version does not have the verb."""
    if target != states.ABORT:
        return frozenset()
    return frozenset(state for state, since in ABORT_SINCE.items() if since > minor)


def _check_arguments(verb: str, body: Mapping[str, Any], minor: int) -> None:
    """Refuse arguments of other verbs, and a verb without its required arguments."""
    for name, owner in _STEPS_OF.items():
        if body.get(name) and verb != owner:
            raise bad_request(f'"{name}" is only valid when setting target provision state to {owner}')
    if body.get("rescue_password") is not None and verb != states.RESCUE:
        raise bad_request('"rescue_password" is only valid when setting target provision state to rescue')
    if verb in _NEEDS:
        name, complaint = _NEEDS[verb]
        value = body.get(name)
        if not (value.strip() if isinstance(value, str) else value):
            raise bad_request(complaint)
    _check_deploy_steps(verb, body.get("deploy_steps"), minor)
    _check_disable_ramdisk(verb, body.get("disable_ramdisk"), minor)
    _check_configdrive(verb, body.get("configdrive"), minor)


def _reservation(verb: str, value: Any, minor: int) -> str | None:
    """Return the proof that the caller reserved the node (specification 001)."""
    if value is None:
        return None
    if minor < _RESERVATION_SINCE:
        raise not_acceptable(_RESERVATION_SINCE)
    if verb != states.DEPLOY:
        raise bad_request('"reservation_uuid" is only valid when setting target provision state to active')
    return read_uuid("reservation_uuid", value)


def _check_deploy_steps(verb: str, steps: Any, minor: int) -> None:
    if not steps:
        return
    if minor < _DEPLOY_STEPS_SINCE:
        raise not_acceptable(_DEPLOY_STEPS_SINCE)
    if verb not in _DEPLOYS:
        raise bad_request('"deploy_steps" is only valid when setting target provision state to active or rebuild')


def _check_disable_ramdisk(verb: str, value: Any, minor: int) -> None:
    if value is None:
        return
    read_flag("disable_ramdisk", value)
    if verb not in _DISABLE_RAMDISK_SINCE:
        raise bad_request("disable_ramdisk is supported only with manual cleaning or servicing")
    if minor < _DISABLE_RAMDISK_SINCE[verb]:
        raise Refusal(406, "disable_ramdisk is not acceptable in this API version")


def _check_configdrive(verb: str, configdrive: Any, minor: int) -> None:
    if not configdrive:
        return
    rebuild = minor >= _REBUILD_CONFIGDRIVE_SINCE
    if verb not in (_DEPLOYS if rebuild else _DEPLOYS[:1]):
        allowed = "active, rebuild" if rebuild else "active"
        raise bad_request(f"Adding a config drive is only supported when setting provision state to {allowed}")
    if isinstance(configdrive, str):
        if "://" not in configdrive and not _BASE64.match(configdrive):
            raise bad_request("Invalid configdrive format: it is neither a JSON, nor a URL, nor a base64 string")
        return
    if minor < _BUILD_CONFIGDRIVE_SINCE:
        raise bad_request(
            "Providing a JSON object for configdrive is only supported starting with "
            f"API version 1.{_BUILD_CONFIGDRIVE_SINCE}"
        )
    if "vendor_data" in configdrive and minor < _VENDOR_DATA_SINCE:
        raise bad_request(
            f"Providing vendor_data in configdrive is only supported starting with API version 1.{_VENDOR_DATA_SINCE}"
        )
