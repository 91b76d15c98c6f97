"""Connect ``dibs`` to a server. In ``openstack`` the plug-in does this."""

import argparse
import functools
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dibs.client import Dibs

URL_VARIABLE = "DIBS_URL"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that select the server."""
    parser.add_argument(
        "--url",
        metavar="URL",
        help=f"URL of the server, such as http://user:password@dibs.example:8780 [{URL_VARIABLE}]. Default: the cloud"
        " of OS_CLOUD and other OS_ variables, else http://127.0.0.1:8780",
    )
    parser.add_argument("--os-cloud", metavar="NAME", help="Entry of clouds.yaml [OS_CLOUD]")


class ClientManager:
    """The ``app.client_manager`` of ``dibs``, with the attribute that commands use in ``openstack`` too."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options

    @functools.cached_property
    def dibs(self) -> "Dibs":
        """The client, created when a command first uses it."""
        from dibs.client import Dibs

        if self._options.os_cloud and not self._options.url:
            return Dibs.connect(cloud=self._options.os_cloud)
        url = self._options.url or os.environ.get(URL_VARIABLE) or None
        if url is not None and not url.startswith(("http://", "https://")):
            from openstack import exceptions

            raise exceptions.ConfigException(
                f"{url!r} is not a URL such as http://127.0.0.1:8780. Check --url and {URL_VARIABLE}."
            )
        return Dibs.connect(url)
