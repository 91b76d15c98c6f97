"""Hosts: the compute providers and nodes that leases can book."""

from collections.abc import Iterator, Mapping
from typing import Any

from openstack import exceptions, proxy, resource

from dibs.client.errors import NotFound, dibs_errors, each_or_error


class Host(resource.Resource):
    """A host with its capacity; ``properties`` are the extra capabilities that an operator gave to it."""

    resource_key = "host"
    resources_key = "hosts"
    base_path = "/os-hosts"
    allow_fetch = True
    allow_list = True
    allow_delete = True
    _store_unknown_attrs_as_properties = True

    id: str = resource.Body("id")
    name: str = resource.Body("hypervisor_hostname")
    hypervisor_type: str = resource.Body("hypervisor_type")
    hypervisor_version: int = resource.Body("hypervisor_version")
    cpu_info: str = resource.Body("cpu_info")
    vcpus: int = resource.Body("vcpus")
    memory_mb: int = resource.Body("memory_mb")
    local_gb: int = resource.Body("local_gb")
    availability_zone: str | None = resource.Body("availability_zone")
    service_name: str = resource.Body("service_name")
    reservable: bool = resource.Body("reservable", type=bool)
    status: str | None = resource.Body("status")
    trust_id: str | None = resource.Body("trust_id")
    created_at: str = resource.Body("created_at")
    updated_at: str | None = resource.Body("updated_at")
    properties: dict[str, str] = resource.Body("properties", type=dict)


class Hosts:
    """The calls of ``dibs.hosts``."""

    def __init__(self, service: proxy.Proxy) -> None:
        self._service = service

    @dibs_errors()
    def create(self, name: str, *, properties: Mapping[str, str] | None = None) -> Host:
        """Register a compute provider or a node, by name or uuid, as a host that leases can book."""
        return _host(self._service.post("/os-hosts", json={**(properties or {}), "name": name}))

    def list(self) -> Iterator[Host]:
        """List the hosts; only administrators see them."""
        return each_or_error(Host.list(self._service, paginated=False))

    @dibs_errors()
    def get(self, host: str) -> Host:
        """Return a host by id or name."""
        found = next((each for each in self.list() if host in (each.id, each.name)), None)
        if found is None:
            raise NotFound(f"Host {host} could not be found.")
        return found

    @dibs_errors()
    def update(self, host: str, *, properties: Mapping[str, str | None]) -> Host:
        """Set properties of a host; None removes a property."""
        return _host(self._service.put(f"/os-hosts/{self.get(host).id}", json=dict(properties)))

    @dibs_errors()
    def delete(self, host: str) -> None:
        """Remove a host from those that leases can book."""
        self.get(host).delete(self._service)

    @dibs_errors()
    def names_of_lease(self, lease: str) -> tuple[str, ...]:
        """Return the names of the hosts that a lease has booked."""
        answer = self._service.get("/os-hosts/allocations", params={"lease_id": lease})
        exceptions.raise_from_response(answer)
        booked = {each["resource_id"] for each in answer.json()["allocations"] if each["reservations"]}
        return tuple(sorted(host.name for host in self.list() if host.id in booked)) if booked else ()


def _host(answer: Any) -> Host:
    exceptions.raise_from_response(answer)
    return Host.existing(**answer.json()["host"])
