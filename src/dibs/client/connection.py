"""Connect by URL, clouds.yaml or environment, and find the root URL of Dibs from a connection."""

import os
import re
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

import openstack
from openstack.connection import Connection

DEFAULT_URL = "http://127.0.0.1:8780"
"""The default address of a server."""

_MOUNT = re.compile(r"/(dibs|baremetal|placement|reservation|compute)(/v[0-9.]+)?/?$")
_CLOUD_VARIABLES = ("OS_CLOUD", "OS_AUTH_TYPE", "OS_AUTH_URL", "OS_ENDPOINT")
"""Any of these variables selects a cloud."""


def connect(url: str | None = None, *, cloud: str | None = None, **options: Any) -> Connection:
    """Connect to a URL, an entry of clouds.yaml, the cloud of OS_… variables, or else to the default address.

    A URL can contain user and password for a server with http_basic: ``https://olga:secret@dibs.example``. The options
    are those of ``openstack.connect``, such as ``cacert``.
    """
    if url is None and cloud is None and not any(os.environ.get(name) for name in _CLOUD_VARIABLES):
        url = DEFAULT_URL
    if url is None:
        return openstack.connect(cloud=cloud, **options)
    return _connect_to_url(url, options)


def root_of(connection: Connection) -> str:
    """Return the root URL of Dibs, derived from any of its APIs that the connection knows."""
    config = connection.config
    known = config.get_endpoint("dibs") or config.get_endpoint("baremetal") or connection.baremetal.get_endpoint()
    return _MOUNT.sub("", str(known)).rstrip("/")


def _connect_to_url(url: str, options: dict[str, Any]) -> Connection:
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    root = _MOUNT.sub("", urlunsplit((parts.scheme, host, parts.path, "", ""))).rstrip("/")
    auth = {"endpoint": f"{root}/placement"}
    auth_type = "none"
    if parts.username is not None:
        auth_type = "http_basic"
        auth |= {"username": unquote(parts.username), "password": unquote(parts.password or "")}
    configuration: dict[str, Any] = {
        "auth_type": auth_type,
        "auth": auth,
        "baremetal_endpoint_override": f"{root}/baremetal",
        "reservation_endpoint_override": f"{root}/reservation/v1",
        "compute_endpoint_override": f"{root}/compute/v2.1",
    }
    return openstack.connect(load_yaml_config=False, load_envvars=False, **configuration, **options)
