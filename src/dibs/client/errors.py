"""The errors of this client that openstacksdk does not have."""

from collections.abc import Mapping
from typing import Any

from openstack import exceptions


class AlreadyDifferent(exceptions.SDKException):
    """An object of the same name exists, but differs from the requested one."""


def check_same(what: str, requested: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Raise AlreadyDifferent if an existing object differs from the requested one."""
    different = [
        f"{name} is {found[name]!r}, not {requested[name]!r}" for name in requested if requested[name] != found[name]
    ]
    if different:
        raise AlreadyDifferent(f"{what} already exists, but its {'; its '.join(different)}.")
