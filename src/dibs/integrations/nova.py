"""A Nova that keeps the flavors and servers of leases, called through openstacksdk.

Every call is idempotent: a conductor that fails before it records the result makes the call again.
"""

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dibs.access.access import EVERY_PROJECT, VisibleProjects
from dibs.extras import needs_extra
from dibs.flavors.model.errors import ComputeUnavailable, FlavorNotFound
from dibs.flavors.model.flavors import Flavor

if TYPE_CHECKING:
    from openstack.compute.v2._proxy import Proxy
    from openstack.compute.v2.flavor import Flavor as SdkFlavor

TIMEOUT_SECONDS = 30
"""The timeout of one request."""

_SIZES = {
    "vcpus": "vcpus",
    "memory_mb": "ram",
    "disk_gb": "disk",
    "ephemeral_gb": "ephemeral",
    "swap_mb": "swap",
    "rxtx_factor": "rxtx_factor",
}
"""Attributes of Flavor, and their names in the SDK."""


class Nova:
    """A ComputeService. ``cloud`` names an entry in clouds.yaml whose user is an admin."""

    def __init__(self, cloud: str, *, clouds_file: str = "", region: str = "") -> None:
        self._cloud = cloud
        self._clouds_file = clouds_file
        self._region = region
        self._lock = threading.Lock()
        self._connected: Proxy | None = None
        with needs_extra("nova", "compute_backend nova"):
            import openstack  # noqa: F401 - so that a missing extra is reported at start

    def create_flavors(self, flavors: Sequence[Mapping[str, Any]]) -> None:
        """See ComputeService."""
        for wanted in flavors:
            found = self._get(wanted["flavor"])
            if found is not None and _is_same(found, wanted):
                continue
            if found is not None:
                self._compute.delete_flavor(found)
            self._create(wanted)

    def grant_flavors(self, flavors: Sequence[str], project: str | None) -> None:
        """See ComputeService. A lease without a project was made without authentication and needs no access."""
        if project is None:
            return
        for flavor in flavors:
            if project not in self._projects_of(flavor):
                self._compute.flavor_add_tenant_access(flavor, project)

    def clean_up(self, flavors: Sequence[str], hosts: Sequence[str]) -> bool:
        """See ComputeService."""
        there = [flavor for flavor in flavors if self._get(flavor) is not None]
        for flavor in there:
            # Otherwise a user could launch a server after the servers are listed and before the flavor is deleted.
            for project in self._projects_of(flavor):
                self._compute.flavor_remove_tenant_access(flavor, project)
        going = self._delete_servers("flavor", there) + self._delete_servers("node", hosts)
        if going:
            return False
        for flavor in there:
            self._compute.delete_flavor(flavor)
        return True

    def find_flavor(self, flavor: str, visibility: VisibleProjects) -> Flavor:
        """Return a flavor that is public or that one of the projects may use; the only call that a client waits for."""
        from keystoneauth1.exceptions import ClientException
        from openstack.exceptions import SDKException

        try:
            found = self._get(flavor)
            if found is not None and (found.is_public or self._is_visible(flavor, visibility)):
                return _to_flavor(found)
        except (SDKException, ClientException) as error:
            raise ComputeUnavailable(problem=str(error)) from error
        raise FlavorNotFound(flavor=flavor)

    def _is_visible(self, flavor: str, visibility: VisibleProjects) -> bool:
        return visibility is EVERY_PROJECT or not visibility.isdisjoint(self._projects_of(flavor))

    @property
    def _compute(self) -> "Proxy":
        """The connection, opened at the first use: Nova may start later than Dibs."""
        # Imported here, so that only sites with a Nova pay for loading the SDK.
        from openstack.config import OpenStackConfig
        from openstack.connection import Connection

        with self._lock:
            if self._connected is None:
                files = [self._clouds_file] if self._clouds_file else None
                region = OpenStackConfig(config_files=files, load_envvars=False).get_one(
                    cloud=self._cloud, region_name=self._region or None, api_timeout=TIMEOUT_SECONDS
                )
                self._connected = Connection(config=region).compute
            return self._connected

    def _get(self, flavor: str) -> "SdkFlavor | None":
        from openstack.exceptions import NotFoundException

        try:
            return self._compute.get_flavor(flavor, get_extra_specs=True)
        except NotFoundException:
            return None

    def _projects_of(self, flavor: str) -> set[str]:
        return {each["tenant_id"] for each in self._compute.get_flavor_access(flavor)}

    def _create(self, wanted: Mapping[str, Any]) -> None:
        sizes = {theirs: wanted[ours] for ours, theirs in _SIZES.items()}
        made = self._compute.create_flavor(id=wanted["flavor"], name=wanted["name"], is_public=False, **sizes)
        self._compute.create_flavor_extra_specs(made, dict(wanted["extra_specs"]))

    def _delete_servers(self, key: str, values: Sequence[str]) -> int:
        """Delete the servers that match each value, in all projects; return how many still exist."""
        found = 0
        for value in values:
            for server in self._compute.servers(details=False, all_projects=True, **{key: value}):
                self._compute.delete_server(server)
                found += 1
        return found


def _is_same(found: "SdkFlavor", wanted: Mapping[str, Any]) -> bool:
    # Quirk: Nova says "" for no swap.
    sizes = all((getattr(found, theirs) or 0) == wanted[ours] for ours, theirs in _SIZES.items())
    return sizes and found.name == wanted["name"] and found.extra_specs == wanted["extra_specs"] and not found.is_public


def _to_flavor(found: "SdkFlavor") -> Flavor:
    sizes: dict[str, Any] = {ours: getattr(found, theirs) or 0 for ours, theirs in _SIZES.items()}
    return Flavor(
        id=0,
        flavor=found.id,
        name=found.name,
        public=found.is_public,
        extra_specs=dict(found.extra_specs),
        created_at=0,
        **sizes,
    )
