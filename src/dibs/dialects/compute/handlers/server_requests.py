"""Request bodies of servers: schemas, and the launch command of a body."""

import base64
import binascii
import uuid
from collections.abc import Mapping
from typing import Any

from dibs.access.compute_policy import FORCED_HOST
from dibs.dialects.compute import microversions
from dibs.dialects.compute.errors import bad_request
from dibs.dialects.compute.exchange import Exchange
from dibs.dialects.compute.handlers.server_views import ZONE
from dibs.dialects.compute.schemas import (
    ANY_TEXT,
    BOOLEAN,
    DESCRIPTION,
    METADATA,
    NAME,
    NAME_LENGTH_MAX,
    OBJECT,
    POSITIVE,
    Schema,
    closed,
    is_true,
    read_amount,
)
from dibs.documents.json_schema import ITEMS_MAX, is_uuid
from dibs.servers.operations.launching import LaunchServers

COUNT_MAX = 100
"""The most servers that one request may launch."""

_NETWORK: Schema = {
    "type": "object",
    "properties": dict.fromkeys(("uuid", "port", "fixed_ip", "tag"), DESCRIPTION),
    "additionalProperties": False,
}
_TAG: Schema = {"type": "string", "minLength": 1, "maxLength": 60, "pattern": "^[^,/]*$"}
_OBJECTS: Schema = {"type": "array", "items": OBJECT, "maxItems": ITEMS_MAX}
_OLD_NETWORKS: Schema = {"type": "array", "items": _NETWORK, "maxItems": ITEMS_MAX}
_SERVER: Mapping[str, Schema] = {
    "name": NAME,
    "flavorRef": {"type": ["string", "integer"], "minLength": 1, "maxLength": 1024},
    "imageRef": {"type": "string", "maxLength": 1024},
    "networks": _OLD_NETWORKS,
    "availability_zone": NAME,
    "metadata": METADATA,
    "key_name": NAME,
    "security_groups": _OBJECTS,
    "user_data": {"type": "string", "maxLength": 65535},
    "config_drive": BOOLEAN,
    "block_device_mapping": _OBJECTS,
    "block_device_mapping_v2": _OBJECTS,
    "min_count": POSITIVE,
    "max_count": POSITIVE,
    "return_reservation_id": BOOLEAN,
    "adminPass": ANY_TEXT,
    "accessIPv4": ANY_TEXT,
    "accessIPv6": ANY_TEXT,
    "OS-DCF:diskConfig": {"enum": ["AUTO", "MANUAL"]},
    "personality": {"type": "array", "maxItems": ITEMS_MAX},
}
_NEWER = {
    "description": (microversions.DESCRIPTION_SINCE, DESCRIPTION),
    "networks": (microversions.NETWORKS_SINCE, {"anyOf": [_OLD_NETWORKS, {"enum": ["auto", "none"]}]}),
    "tags": (microversions.TAGS_TAKEN_SINCE, {"type": "array", "items": _TAG, "maxItems": 50, "uniqueItems": True}),
}


def _schema(minor: int) -> Schema:
    server = {**_SERVER, **{name: schema for name, (since, schema) in _NEWER.items() if since <= minor}}
    if minor >= microversions.NO_PERSONALITY_SINCE:
        del server["personality"]
    required = ["name", "flavorRef", *(["networks"] if minor >= microversions.NETWORKS_SINCE else [])]
    hints = {"os:scheduler_hints": OBJECT, "OS-SCH-HNT:scheduler_hints": OBJECT}
    return closed({"server": closed(server, *required), **hints}, "server")


CREATE: Mapping[int, Schema] = {
    since: _schema(since) for since in (1, microversions.NO_PERSONALITY_SINCE, *(since for since, _ in _NEWER.values()))
}
_CHANGED: Mapping[str, Schema] = {
    "name": NAME,
    "accessIPv4": ANY_TEXT,
    "accessIPv6": ANY_TEXT,
    "OS-DCF:diskConfig": {"enum": ["AUTO", "MANUAL"]},
}
CHANGE: Mapping[int, Schema] = {
    1: closed({"server": closed(_CHANGED)}, "server"),
    microversions.DESCRIPTION_SINCE: closed({"server": closed({**_CHANGED, "description": DESCRIPTION})}, "server"),
}


def read_launch(exchange: Exchange, body: Mapping[str, Any]) -> LaunchServers:
    """Return the launch command of a body that matches the schema."""
    asked = body["server"]
    hints = {**body.get("OS-SCH-HNT:scheduler_hints", {}), **body.get("os:scheduler_hints", {})}
    _refuse_volumes_and_networks(asked)
    zone, _, host = asked.get("availability_zone", "").partition(":")
    if zone not in ("", ZONE):
        raise bad_request("The requested availability zone is not available")
    if host:
        exchange.require(FORCED_HOST)
    least, most = _read_counts(asked)
    properties = {
        "metadata": asked.get("metadata", {}),
        "description": asked.get("description"),
        "tags": asked.get("tags", []),
        "key_name": asked.get("key_name"),
        "config_drive": is_true(asked.get("config_drive", False)),
    }
    return LaunchServers(
        flavor=_last_part(asked["flavorRef"]),
        visibility=exchange.visibility,
        servers=_read_servers(asked, most),
        least=least,
        image=_read_image(asked),
        reservation=_read_reservation(hints),
        # A second colon separates the host from the hypervisor on it, which has the same name.
        host=host.partition(":")[0] or None,
        availability_zone=zone or None,
        properties={name: value for name, value in properties.items() if value},
        configdrive=_read_configdrive(asked),
    )


def _read_counts(asked: Mapping[str, Any]) -> tuple[int, int]:
    """Return the smallest and the largest number of servers."""
    least = read_amount({"min_count": 1, **asked}, "min_count", least=1)
    most = read_amount({"max_count": least, **asked}, "max_count", least=1)
    if least > most:
        raise bad_request("min_count must be <= max_count")
    if most > COUNT_MAX:
        raise bad_request(f"max_count must be at most {COUNT_MAX}.")
    return least, most


def _read_servers(asked: Mapping[str, Any], most: int) -> tuple[tuple[str, str], ...]:
    if most == 1:
        return ((str(uuid.uuid4()), asked["name"]),)
    names = [f"{asked['name']}-{number + 1}" for number in range(most)]
    if len(names[-1]) > NAME_LENGTH_MAX:
        raise bad_request(
            f"The name is too long for {most} servers: {names[-1]} has more than {NAME_LENGTH_MAX} characters."
        )
    return tuple((str(uuid.uuid4()), name) for name in names)


def _refuse_volumes_and_networks(asked: Mapping[str, Any]) -> None:
    """Refuse volumes and networks: a server that is launched without them must not look as if it had them."""
    for device in [*asked.get("block_device_mapping", ()), *asked.get("block_device_mapping_v2", ())]:
        local = device.get("source_type") in ("image", "blank") and device.get("destination_type", "local") == "local"
        if not local:
            raise bad_request("Dibs has no volumes: boot the server from an image.")
    if isinstance(asked.get("networks"), list) and asked["networks"]:
        raise bad_request("Dibs has no networks to choose from: leave networks empty, or use auto or none.")


def _read_image(asked: Mapping[str, Any]) -> str | None:
    image = _last_part(asked.get("imageRef", "")) or _image_of_devices(asked)
    if image is not None and len(image) > NAME_LENGTH_MAX:
        raise bad_request(f"The id of the image has more than {NAME_LENGTH_MAX} characters.")
    return image


def _image_of_devices(asked: Mapping[str, Any]) -> str | None:
    devices = [each for each in asked.get("block_device_mapping_v2", ()) if each.get("source_type") == "image"]
    if not devices:
        return None
    image = devices[0].get("uuid")
    if not isinstance(image, str):
        raise bad_request(
            "Invalid input for field/attribute block_device_mapping_v2. A device with source_type image needs a uuid."
        )
    return image


def _read_reservation(hints: Mapping[str, Any]) -> str | None:
    hint = hints.get("reservation")
    if isinstance(hint, list) and len(hint) == 1:
        hint = hint[0]
    if hint is not None and not (isinstance(hint, str) and is_uuid(hint)):
        raise bad_request(f"The hint reservation must be the UUID of a reservation, not {hint!r}.")
    return str(uuid.UUID(hint)) if hint else None


def _read_configdrive(asked: Mapping[str, Any]) -> dict[str, Any] | None:
    if "user_data" not in asked:
        return None
    try:
        text = base64.b64decode(asked["user_data"], validate=True).decode()
    except (binascii.Error, ValueError):
        raise bad_request("Invalid input for field/attribute user_data. It must be text encoded in base64.") from None
    return {"user_data": text, "meta_data": asked.get("metadata", {})}


def _last_part(reference: str | int) -> str:
    """Return the id in a reference: the id itself, or the end of a link."""
    return str(reference).rstrip("/").rpartition("/")[2]
