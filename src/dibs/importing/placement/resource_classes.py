"""Copy custom resource classes."""

from dibs.importing.placement.names import copy_names
from dibs.importing.report import Report
from dibs.importing.service import Service

_LEASE_PREFIX = "CUSTOM_RESERVATION_"


def copy_resource_classes(source: Service, target: Service, report: Report) -> None:
    """Copy every custom class, except those of leases: Dibs creates them with their leases."""
    copy_names("resource class", "/resource_classes", _custom(source), _custom(target), target, report)


def _custom(service: Service) -> set[str]:
    listed = service.get("/resource_classes")["resource_classes"]
    names = {each["name"] for each in listed}
    return {name for name in names if name.startswith("CUSTOM_") and not name.startswith(_LEASE_PREFIX)}
