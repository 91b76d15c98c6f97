"""From what a person says of a service to a connection: an address alone, a name and a password, or a cloud."""

import logging
from dataclasses import dataclass

from keystoneauth1 import exceptions
from keystoneauth1.adapter import Adapter
from keystoneauth1.http_basic import HTTPBasicAuth
from keystoneauth1.identity.base import BaseIdentityPlugin
from keystoneauth1.plugin import BaseAuthPlugin
from keystoneauth1.session import Session
from keystoneauth1.token_endpoint import Token

from dibs.importing.service import Service, Unreachable

_TIMEOUT_SECONDS = 120.0
_RETRIES = 3
_BUSY = [502, 503, 504]
_TOKEN_WITHOUT_AUTH = "admin"  # noqa: S105
"""What a Placement without authentication takes for an administrator; the other services do not look at it."""
_VERSION_IN_CATALOGUE = {"baremetal": "/v1", "placement": "", "reservation": "/v1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a service is, and who asks."""

    url: str | None = None
    cloud: str | None = None
    """The name of an entry in clouds.yaml: any way of authentication that keystoneauth has, and the address too."""
    user: str | None = None
    password: str | None = None
    """Both are for a service behind HTTP basic authentication."""
    insecure: bool = False
    ca_file: str | None = None


def connect(address: Address, kind: str, mount: str = "") -> Service:
    """The service of a kind at an address, ready for use; ``mount`` is added to an address that is given."""
    if address.cloud is not None:
        adapter, url = _by_cloud(address, kind)
    else:
        adapter, url = Adapter(session=_session(address)), ""
    if address.url is not None:
        url = address.url.rstrip("/") + mount
    # It warns of every try; whoever runs the import is told once, in the end.
    logging.getLogger("keystoneauth").setLevel(logging.ERROR)
    adapter.connect_retries = _RETRIES
    adapter.status_code_retries = _RETRIES
    adapter.retriable_status_codes = _BUSY
    believes_callers = address.cloud is None and address.user is None
    service = Service(adapter, kind, _without_version(url, kind), believes_callers)
    service.negotiate()
    return service


def _session(address: Address) -> Session:
    auth: BaseAuthPlugin
    if address.user is not None:
        auth = HTTPBasicAuth(endpoint=address.url, username=address.user, password=address.password or "")
    else:
        auth = Token(address.url, _TOKEN_WITHOUT_AUTH)
    return Session(auth=auth, timeout=_TIMEOUT_SECONDS, verify=address.ca_file or not address.insecure)


def _by_cloud(address: Address, kind: str) -> tuple[Adapter, str]:
    import openstack.config
    from openstack.exceptions import SDKException

    try:
        region = openstack.config.OpenStackConfig().get_one(cloud=address.cloud)
        session = region.get_session()
        # A cloud without a catalogue gives its one address to every service, unless the entry has one for this.
        catalogue = isinstance(session.auth, BaseIdentityPlugin)
        url = region.get_endpoint(kind) or region.get_session_endpoint(kind)
        if not catalogue and url is None:
            url = session.auth.get_endpoint(session) if session.auth else None
    except (SDKException, exceptions.ClientException) as error:
        raise Unreachable(f"The cloud {address.cloud} cannot be used: {error}") from error
    if url is None and address.url is None:
        raise Unreachable(f"The cloud {address.cloud} has no {kind} service.")
    return Adapter(session=session), str(url or "")


def _without_version(url: str, kind: str) -> str:
    """Catalogues have some services with their version and some without."""
    return url.rstrip("/").removesuffix(_VERSION_IN_CATALOGUE[kind]).rstrip("/")
