"""Custom resource classes."""

from dibs.importing.names import copy_names
from dibs.importing.report import Report
from dibs.importing.service import Service


def copy_all(there: Service, here: Service, report: Report) -> None:
    """Every class that is not a standard one."""
    copy_names("resource class", "/resource_classes", _custom(there), _custom(here), here, report)


def _custom(service: Service) -> set[str]:
    listed = service.get("/resource_classes")["resource_classes"]
    return {each["name"] for each in listed if each["name"].startswith("CUSTOM_")}
