"""Where ``dibs`` finds the server that its commands ask. In ``openstack`` the plug-in does this."""

import argparse
import functools
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dibs.client import Dibs

URL_VARIABLE = "DIBS_URL"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that say where the server is."""
    parser.add_argument(
        "--url",
        metavar="URL",
        help=f"The server to ask, such as http://user:password@dibs.example:8780 [{URL_VARIABLE}]; without it, what"
        " OS_CLOUD and other OS_ variables say; without those, http://127.0.0.1:8780.",
    )
    parser.add_argument("--os-cloud", metavar="NAME", help="The entry of clouds.yaml to use [OS_CLOUD].")


class ClientManager:
    """What commands find as ``app.client_manager``, as they do in ``openstack``."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options

    @functools.cached_property
    def dibs(self) -> "Dibs":
        """The server; connected to when a command asks for it."""
        from dibs.client import Dibs

        if self._options.os_cloud and not self._options.url:
            return Dibs.connect(cloud=self._options.os_cloud)
        return Dibs.connect(self._options.url or os.environ.get(URL_VARIABLE) or None)
