"""The bill of materials of a release, in the format of CycloneDX: each locked distribution with its hashes."""

import uuid
from datetime import UTC, datetime
from pathlib import Path

import lock
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL


def bill_of_materials(root: Path, version: str) -> str:
    """Return the document of the release with all extras, which is the same each time it is made."""
    bom = Bom(
        components=[component(match) for match in lock.pinned(root, "all")],
        serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"pkg:pypi/dibs@{version}"),
    )
    bom.metadata.timestamp = datetime.fromtimestamp(0, UTC)
    bom.metadata.component = Component(
        name="dibs", version=version, type=ComponentType.APPLICATION, purl=PackageURL("pypi", None, "dibs", version)
    )
    return JsonV1Dot6(bom).output_as_string(indent=2)


def component(pinned: lock.Pinned) -> Component:
    """Return the entry of a locked distribution."""
    return Component(
        name=pinned.name,
        version=pinned.version,
        type=ComponentType.LIBRARY,
        purl=PackageURL("pypi", None, pinned.name, pinned.version),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=each) for each in pinned.hashes],
    )
