"""Custom traits, as names; which provider has them is the provider's matter."""

from dibs.importing.names import copy_names
from dibs.importing.report import Report
from dibs.importing.service import Service


def copy_all(there: Service, here: Service, report: Report) -> None:
    """Every trait that is not a standard one."""
    copy_names("trait", "/traits", _custom(there), _custom(here), here, report)


def _custom(service: Service) -> set[str]:
    return set(service.get("/traits", name="startswith:CUSTOM_")["traits"])
