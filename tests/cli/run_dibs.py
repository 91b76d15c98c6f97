"""Run the ``dibs`` application in this process, against a running server."""

import io
import json
from dataclasses import dataclass
from typing import Any

from dibs.cli.main import Dibs


@dataclass(frozen=True)
class CommandResult:
    """The exit code and the output of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The parsed output of a command with ``-f json``, which must have succeeded."""
        assert self.code == 0, self.err
        return json.loads(self.out)


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def run(*words: str, url: str, stderr: io.StringIO | None = None) -> CommandResult:
    """Run one command."""
    app = Dibs()
    app.stdout, app.stderr = io.StringIO(), stderr or io.StringIO()
    code = app.run(["--url", url, *words])
    return CommandResult(code, app.stdout.getvalue(), app.stderr.getvalue())
