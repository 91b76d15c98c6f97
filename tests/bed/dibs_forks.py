"""The fork server of ``dibs`` and of the conductors that tests kill: ``python -m … SOCKET``."""

import importlib
import pkgutil
import sys

from cliff.app import App

import dibs
from dibs.cli.main import main
from faults import bugs, clocks
from tests.bed.fork_server import Programs, serve
from tests.conductor import process


def import_everything() -> None:
    """Import every module of Dibs, those too that Dibs imports at first use."""
    for module in pkgutil.walk_packages(dibs.__path__, "dibs."):
        if ".migrations." not in module.name:
            importlib.import_module(module.name)


if __name__ == "__main__":
    import_everything()
    # cliff took the name of this program at import.
    App.NAME = "dibs"
    with_faults: Programs = {"dibs-with-bug": bugs.main, "dibs-with-clock": clocks.main}
    serve(sys.argv[1], {"dibs": main, "conductor": process.main, **with_faults})
