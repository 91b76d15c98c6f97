"""Images: a list with one entry.

Stock clients require an image for every server and look it up, by name or id, in an image service like Glance. Dibs
writes no disks itself, so one image stands for everything that a machine boots. A caller may also send the reference
of a real image; the driver of the node gets it unchanged.
"""

from typing import Any

from dibs.dialects.compute.errors import not_found
from dibs.dialects.compute.exchange import Exchange, json_answer
from dibs.http.messages import Response

IMAGE_ID = "d1b50000-0000-4000-8000-000000000001"
IMAGE_NAME = "any"
_CREATED = "2026-01-01T00:00:00Z"
_SCHEMA = "/v2/schemas/image"


def list_compute(exchange: Exchange) -> Response:
    """GET /v2.1/images"""
    return json_answer({"images": [_summary(exchange)]})


def list_compute_details(exchange: Exchange) -> Response:
    """GET /v2.1/images/detail"""
    return json_answer({"images": [_details(exchange)]})


def show_compute(exchange: Exchange) -> Response:
    """GET /v2.1/images/{image}"""
    _check(exchange)
    return json_answer({"image": _details(exchange)})


def show_image_versions(exchange: Exchange) -> Response:
    """GET /image"""
    return json_answer({"versions": [_version(exchange)]})


def show_image_version(exchange: Exchange) -> Response:
    """GET /image/v2

    Difference from Glance: it answers 404 here, and clients then ask one level up.
    """
    return json_answer({"version": _version(exchange)})


def list_images(exchange: Exchange) -> Response:
    """GET /image/v2/images"""
    wanted = {"name": IMAGE_NAME, "id": IMAGE_ID}
    found = [_glance()] if all(_matches(exchange.query(field), value) for field, value in wanted.items()) else []
    # The only image is on the first page.
    shown = [] if exchange.query("marker") else found
    return json_answer({"images": shown, "first": "/v2/images", "schema": "/v2/schemas/images"})


def show_image(exchange: Exchange) -> Response:
    """GET /image/v2/images/{image}"""
    _check(exchange)
    return json_answer(_glance())


def _matches(asked: str | None, value: str) -> bool:
    """Return True when a filter accepts a value: no filter, the value itself, or ``in:`` and several values."""
    if asked is None or not asked.startswith("in:"):
        return asked in (None, value)
    return value in asked.removeprefix("in:").split(",")


def _check(exchange: Exchange) -> None:
    image = exchange.arguments["image"]
    if image != IMAGE_ID:
        raise not_found(f"No image found with ID {image}")


def _summary(exchange: Exchange) -> dict[str, Any]:
    return {"id": IMAGE_ID, "name": IMAGE_NAME, "links": exchange.links("images", IMAGE_ID)}


def _details(exchange: Exchange) -> dict[str, Any]:
    return _summary(exchange) | {
        "status": "ACTIVE",
        "progress": 100,
        "minDisk": 0,
        "minRam": 0,
        "metadata": {},
        "created": _CREATED,
        "updated": _CREATED,
        "OS-EXT-IMG-SIZE:size": 0,
    }


def _glance() -> dict[str, Any]:
    return {
        "id": IMAGE_ID,
        "name": IMAGE_NAME,
        "status": "active",
        "visibility": "public",
        "container_format": "bare",
        "disk_format": "raw",
        "min_disk": 0,
        "min_ram": 0,
        "size": 0,
        "protected": True,
        "tags": [],
        "owner": None,
        "checksum": None,
        "created_at": _CREATED,
        "updated_at": _CREATED,
        "self": f"/v2/images/{IMAGE_ID}",
        "file": f"/v2/images/{IMAGE_ID}/file",
        "schema": _SCHEMA,
    }


def _version(exchange: Exchange) -> dict[str, Any]:
    href = f"{exchange.request.base_url}/image/v2/"
    return {"id": "v2.0", "status": "CURRENT", "links": [{"rel": "self", "href": href}]}
