"""Does the errands of a database, and dies after the first call, before it can note it.

``python -m tests.outside.dying_conductor DATABASE CLOUDS_YAML NOW``
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from dibs.conductor.outbox import ErrandRunner
from dibs.database import open_store
from dibs.integrations import Nova
from dibs.wiring import build_runner
from tests.integrations.real_nova import CLOUD


class DeadlyNova(Nova):
    """Does what it is told, and then all is over."""

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        return _last(found) if name in ("make_flavors", "open_flavors", "clear_up") else found


def _last(call: Callable[..., Any]) -> Callable[..., None]:
    def call_and_die(*arguments: Any) -> None:
        call(*arguments)
        os.kill(os.getpid(), signal.SIGKILL)

    return call_and_die


if __name__ == "__main__":
    database, clouds_yaml, now = sys.argv[1:]
    ErrandRunner(build_runner(open_store(database), lambda: int(now)), DeadlyNova(CLOUD, clouds_file=clouds_yaml)).run()
