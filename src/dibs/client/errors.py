"""What can go wrong here and nowhere else in openstacksdk."""

from collections.abc import Mapping
from typing import Any

from openstack import exceptions


class AlreadyDifferent(exceptions.SDKException):
    """There is something of that name already, and it is not what was asked for."""


def check_same(what: str, asked: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Refuse to take one thing for another that happens to have its name."""
    different = [f"{name} is {found[name]!r}, not {asked[name]!r}" for name in asked if asked[name] != found[name]]
    if different:
        raise AlreadyDifferent(f"There is {what} already, but its {'; its '.join(different)}.")
