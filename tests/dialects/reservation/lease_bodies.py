"""Bodies of requests about leases, valid unless a test changes them."""

from typing import Any

START, MIDDLE, END, LATER = (f"2090-03-01 {hour}:00" for hour in (10, 11, 12, 14))


def hosts(**values: Any) -> dict[str, Any]:
    """A reservation of one whole host."""
    sound = {"min": 1, "max": 1, "hypervisor_properties": "", "resource_properties": ""}
    return {"resource_type": "physical:host", **sound, **values}


def instances(**values: Any) -> dict[str, Any]:
    """A reservation of two small instances."""
    sound = {"vcpus": 1, "memory_mb": 1024, "disk_gb": 10, "amount": 2, "affinity": None, "resource_properties": ""}
    return {"resource_type": "virtual:instance", **sound, **values}


def flavored(**values: Any) -> dict[str, Any]:
    """A reservation of one instance of a flavor."""
    return {"resource_type": "flavor:instance", "flavor_id": "m1", "amount": 1, "affinity": None, **values}


def lease(*reservations: Any, **values: Any) -> dict[str, Any]:
    """A lease of two hours."""
    return {"name": "l", "start_date": START, "end_date": END, "reservations": list(reservations), **values}


def without(name: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return a body without one key."""
    return {key: value for key, value in values.items() if key != name}
