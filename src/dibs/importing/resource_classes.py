"""Custom resource classes."""

from dibs.importing.names import copy_names
from dibs.importing.report import Report
from dibs.importing.service import Service

_OF_LEASES = "CUSTOM_RESERVATION_"


def copy_all(there: Service, here: Service, report: Report) -> None:
    """Every class that is not a standard one, and not of a lease: those are made with their leases."""
    copy_names("resource class", "/resource_classes", _custom(there), _custom(here), here, report)


def _custom(service: Service) -> set[str]:
    listed = service.get("/resource_classes")["resource_classes"]
    names = {each["name"] for each in listed}
    return {name for name in names if name.startswith("CUSTOM_") and not name.startswith(_OF_LEASES)}
