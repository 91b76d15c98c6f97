"""The fork server of ``dibs`` and of other processes that tests start and kill: ``python -m … SOCKET``."""

import importlib
import pkgutil
import sys

import uvicorn.loops.uvloop
from cliff.app import App
from stevedore import ExtensionManager

import dibs
from dibs.cli.main import main
from faults import bugs, clocks
from tests.bed.fork_server import Programs, serve
from tests.conductor import process
from tests.races import restructuring


def import_everything() -> None:
    """Import every module of Dibs, those too that Dibs and its server import at first use."""
    assert uvicorn.loops.uvloop
    for module in pkgutil.walk_packages(dibs.__path__, "dibs."):
        if ".migrations." not in module.name:
            importlib.import_module(module.name)


if __name__ == "__main__":
    import_everything()
    # cliff looks for hooks of each command, and stevedore looks at every installed distribution once in each process.
    ExtensionManager("dibs")
    # cliff took the name of this program at import.
    App.NAME = "dibs"
    with_faults: Programs = {"dibs-with-bug": bugs.main, "dibs-with-clock": clocks.main}
    others: Programs = {"conductor": process.main, "restructuring": restructuring.main}
    serve(sys.argv[1], {"dibs": main, **others, **with_faults})
