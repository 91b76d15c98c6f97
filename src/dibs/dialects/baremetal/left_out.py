"""The URLs of Ironic that Dibs does not serve, and the sentence that says so."""

from collections.abc import Mapping

LEFT_OUT: Mapping[str, str] = {
    "/v1/continue_inspection": "Inspection from inside the machine",
    "/v1/deploy_templates": "Deploy templates",
    "/v1/drivers/{driver}/raid": "RAID properties of a driver",
    "/v1/drivers/{driver}/vendor_passthru": "Vendor methods of a driver",
    "/v1/events": "Events of the network service",
    "/v1/heartbeat": "The heartbeat of the ramdisk",
    "/v1/inspection_rules": "Inspection rules",
    "/v1/lookup": "The lookup of the ramdisk",
    "/v1/nodes/{node}/bios": "BIOS settings of a node",
    "/v1/nodes/{node}/firmware": "Firmware components of a node",
    "/v1/nodes/{node}/inventory": "The hardware inventory of a node",
    "/v1/nodes/{node}/management/indicators": "Indicators of a node",
    "/v1/nodes/{node}/management/inject_nmi": "Interrupts of a node",
    "/v1/nodes/{node}/states/boot_mode": "A change of the boot mode of a node",
    "/v1/nodes/{node}/states/console": "The console of a node",
    "/v1/nodes/{node}/states/raid": "The RAID configuration of a node",
    "/v1/nodes/{node}/states/secure_boot": "A change of the secure boot of a node",
    "/v1/nodes/{node}/vendor_passthru": "Vendor methods of a node",
    "/v1/nodes/{node}/vmedia": "Virtual media of a node",
    "/v1/runbooks": "Runbooks",
    "/v1/shards": "The list of shards",
}
"""What is at a path and below it, by the beginning of the path."""

_PARTS = {tuple(path.split("/")): noun for path, noun in LEFT_OUT.items()}


def why_left_out(path: str) -> str:
    """Return a sentence for a path of Ironic that Dibs does not serve; empty text for a path that Ironic lacks too."""
    parts = path.split("/")
    for known, noun in _PARTS.items():
        if len(parts) >= len(known) and all(a.startswith("{") or a == b for a, b in zip(known, parts, strict=False)):
            return f"{noun}: not served by Dibs, which has only a part of Ironic's API."
    return ""
