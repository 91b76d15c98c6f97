"""Connect to a service by URL, with or without HTTP basic authentication, or by an entry of clouds.yaml."""

import logging

from keystoneauth1 import exceptions
from keystoneauth1.adapter import Adapter
from keystoneauth1.http_basic import HTTPBasicAuth
from keystoneauth1.identity.base import BaseIdentityPlugin
from keystoneauth1.plugin import BaseAuthPlugin
from keystoneauth1.session import Session
from keystoneauth1.token_endpoint import Token
from msgspec import Struct

from dibs.importing.service import Service, Unreachable

_TIMEOUT_SECONDS = 120.0
_RETRIES = 3
_RETRIABLE_STATUSES = [502, 503, 504]
_TOKEN_WITHOUT_AUTH = "admin"  # noqa: S105
"""The token that Placement accepts as an administrator without authentication; other services ignore it."""
_VERSION_IN_CATALOGUE = {"baremetal": "/v1", "placement": "", "reservation": "/v1"}


class Address(Struct, frozen=True, kw_only=True):
    """The URL of a service and the credentials to use."""

    url: str | None = None
    cloud: str | None = None
    """The entry of clouds.yaml with the URL and any authentication method of keystoneauth."""
    user: str | None = None
    password: str | None = None
    """User and password are for HTTP basic authentication."""
    insecure: bool = False
    ca_file: str | None = None


def connect(address: Address, kind: str, mount: str = "") -> Service:
    """Return the service of a kind at an address, with its version negotiated; ``mount`` is appended to a given URL."""
    if address.cloud is not None:
        adapter, url = _connect_to_cloud(address, kind)
    else:
        adapter, url = Adapter(session=_session(address)), ""
    if address.url is not None:
        url = address.url.rstrip("/") + mount
    # keystoneauth logs a warning for every retry; the command reports the final failure once.
    logging.getLogger("keystoneauth").setLevel(logging.ERROR)
    adapter.connect_retries = _RETRIES
    adapter.status_code_retries = _RETRIES
    adapter.retriable_status_codes = _RETRIABLE_STATUSES
    noauth = address.cloud is None and address.user is None
    service = Service(adapter, kind, _without_version(url, kind), noauth)
    service.negotiate()
    return service


def _session(address: Address) -> Session:
    auth: BaseAuthPlugin
    if address.user is not None:
        auth = HTTPBasicAuth(endpoint=address.url, username=address.user, password=address.password or "")
    else:
        auth = Token(address.url, _TOKEN_WITHOUT_AUTH)
    return Session(auth=auth, timeout=_TIMEOUT_SECONDS, verify=address.ca_file or not address.insecure)


def _connect_to_cloud(address: Address, kind: str) -> tuple[Adapter, str]:
    import openstack.config
    from openstack.exceptions import SDKException

    try:
        region = openstack.config.OpenStackConfig().get_one(cloud=address.cloud)
        session = region.get_session()
        # Without a catalogue the entry has one endpoint for all services, unless it overrides the one of this kind.
        catalogue = isinstance(session.auth, BaseIdentityPlugin)
        url = region.get_endpoint(kind) or region.get_session_endpoint(kind)
        if not catalogue and url is None:
            url = session.auth.get_endpoint(session) if session.auth else None
    except (SDKException, exceptions.ClientException) as error:
        raise Unreachable(f"Cannot use the cloud {address.cloud}: {error}") from error
    if url is None and address.url is None:
        raise Unreachable(f"The cloud {address.cloud} has no {kind} service.")
    return Adapter(session=session), str(url or "")


def _without_version(url: str, kind: str) -> str:
    """Return the URL without its version, which catalogues have for some services and not for others."""
    return url.rstrip("/").removesuffix(_VERSION_IN_CATALOGUE[kind]).rstrip("/")
