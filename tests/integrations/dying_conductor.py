"""Make the first outbox call of a database, then be killed before its result is recorded.

``python -m tests.integrations.dying_conductor DATABASE CLOUDS_YAML NOW``
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from dibs.conductor.outbox import OutboxRunner
from dibs.database import open_store
from dibs.integrations import Nova
from dibs.wiring.hooks import build_runner
from tests.integrations.real_nova import CLOUD


class DeadlyNova(Nova):
    """Makes one call, then kills its own process."""

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        return _last(found) if name in ("create_flavors", "grant_flavors", "clean_up") else found


def _last(call: Callable[..., Any]) -> Callable[..., None]:
    def call_and_die(*arguments: Any) -> None:
        call(*arguments)
        os.kill(os.getpid(), signal.SIGKILL)

    return call_and_die


if __name__ == "__main__":
    database, clouds_yaml, now = sys.argv[1:]
    OutboxRunner(build_runner(open_store(database), lambda: int(now)), DeadlyNova(CLOUD, clouds_file=clouds_yaml)).run()
