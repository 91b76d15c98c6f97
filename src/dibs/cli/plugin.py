"""The plug-in of ``openstack``, which finds the commands through the entry points in pyproject.toml."""

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dibs.client import Dibs

API_NAME = "dibs"
API_VERSION_OPTION = "os_dibs_api_version"
API_VERSIONS = ("1",)
DEFAULT_API_VERSION = "1"


def make_client(instance: Any) -> "Dibs":
    """Return the client that commands use as ``app.client_manager.dibs``."""
    from dibs.client import Dibs

    return Dibs(instance.sdk_connection)


def build_option_parser(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Add the version option that every plug-in has."""
    parser.add_argument(
        "--os-dibs-api-version",
        metavar="<dibs-api-version>",
        default=DEFAULT_API_VERSION,
        help=f"Version of Dibs' own API. Default: {DEFAULT_API_VERSION}, the only one.",
    )
    return parser
