"""Copy custom traits. ``providers`` copies which provider has which trait."""

from dibs.importing.placement.names import copy_names
from dibs.importing.report import Report
from dibs.importing.service import Service


def copy_traits(source: Service, target: Service, report: Report) -> None:
    """Copy every custom trait."""
    copy_names("trait", "/traits", _custom(source), _custom(target), target, report)


def _custom(service: Service) -> set[str]:
    return set(service.get("/traits", name="startswith:CUSTOM_")["traits"])
