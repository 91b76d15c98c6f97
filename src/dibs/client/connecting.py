"""From a URL, a clouds.yaml or the environment to a connection, and from a connection to where Dibs is."""

import os
import re
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

import openstack
from openstack.connection import Connection

DEFAULT_URL = "http://127.0.0.1:8780"
"""Where a server listens that nobody told otherwise."""

_MOUNT = re.compile(r"/(dibs|baremetal|placement|reservation|compute)(/v[0-9.]+)?/?$")
_TELLING = ("OS_CLOUD", "OS_AUTH_TYPE", "OS_AUTH_URL", "OS_ENDPOINT")
"""Any of these in the environment says which cloud is meant."""


def connect(url: str | None = None, *, cloud: str | None = None, **options: Any) -> Connection:
    """Connect to a URL, to an entry of clouds.yaml, to what OS_… variables say, or else to this machine.

    A URL may have a user and password for a server with http_basic: ``https://olga:secret@dibs.example``. Options are
    those of ``openstack.connect``, such as ``cacert``.
    """
    if url is None and cloud is None and not any(os.environ.get(name) for name in _TELLING):
        url = DEFAULT_URL
    if url is None:
        return openstack.connect(cloud=cloud, **options)
    return _connect_to_url(url, options)


def root_of(connection: Connection) -> str:
    """The address under which all of Dibs' APIs are, found from whichever of them the connection knows."""
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
    told: dict[str, Any] = {
        "auth_type": auth_type,
        "auth": auth,
        "baremetal_endpoint_override": f"{root}/baremetal",
        "reservation_endpoint_override": f"{root}/reservation/v1",
        "compute_endpoint_override": f"{root}/compute/v2.1",
    }
    return openstack.connect(load_yaml_config=False, load_envvars=False, **told, **options)
