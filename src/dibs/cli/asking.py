"""What all commands have in common that ask a server: where it is, how refusals are told, and the exit codes.

The same classes serve ``dibs`` and, as a plug-in, ``openstack``; each program has a ``client_manager`` with a ``dibs``.
What takes long to import is imported when a command runs.
"""

import argparse
import datetime
import re
import traceback
from typing import TYPE_CHECKING, Any

from cliff.command import Command
from cliff.lister import Lister
from cliff.show import ShowOne

from dibs.cli.exit_codes import INTERRUPTED, code_of, sentence_of
from dibs.cli.progress import ShownProgress

if TYPE_CHECKING:
    from dibs.client import Dibs

_DURATION = re.compile(r"(\d+)\s*([smhd]?)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400}

SEVERAL: dict[str, Any] = {"action": "extend", "nargs": "+", "default": []}
"""For an option that takes one or more words and may be given again."""


class Ended(Exception):
    """The command is over, with this exit code and nothing more to print."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Asking(Command):
    """A command that asks a server."""

    example = ""
    """Arguments for the example in the help."""

    @property
    def dibs(self) -> "Dibs":
        """The server."""
        found: Dibs = self.app.client_manager.dibs  # type: ignore[attr-defined]
        return found

    def get_epilog(self) -> str:
        """Return nothing: cliff's own reads the metadata of every installed distribution, which takes 0.1 s or more."""
        return ""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Every help ends with an example."""
        parser = super().get_parser(prog_name)
        parser.epilog = f"Example: {prog_name} {self.example}".rstrip()
        return parser

    def run(self, parsed_args: argparse.Namespace) -> int:
        """Run it; a refusal is one sentence, and the exit code says of which kind it is."""
        try:
            return super().run(parsed_args)
        except Ended as ended:
            return ended.code
        except KeyboardInterrupt:
            print("Interrupted.", file=self.app.stderr)
            return INTERRUPTED
        except Exception as error:
            code = code_of(error)
            if code is None:
                raise
            if self.app.options.debug:
                traceback.print_exc(file=self.app.stderr)
            print(sentence_of(error), file=self.app.stderr)
            return code

    def progress(self) -> ShownProgress:
        """Shows how a wait goes, where it does not disturb the output."""
        return ShownProgress(self.app.stderr)


class AskingList(Asking, Lister):
    """Prints rows."""


class AskingOne(Asking, ShowOne):
    """Prints the fields of one thing."""


class Words(list[str]):
    """Several words in one field: a list for programs, words with blanks between for people and shells."""

    def __str__(self) -> str:
        return " ".join(self)

    def to_dict(self) -> list[str]:
        """What cliff writes as YAML."""
        return list(self)


def seconds(text: str) -> int:
    """A time span as argparse reads it: 90, 90s, 15m, 2h or 1d."""
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no time span such as 90s, 15m, 2h or 1d")
    return int(found[1]) * _SECONDS[found[2]]


def instant(text: str) -> "datetime.datetime | str":
    """A time as argparse reads it: now, +2h, or as in 2026-11-17 18:00, in UTC unless it says otherwise."""
    if text == "now":
        return text
    now = datetime.datetime.now(datetime.UTC)
    if text.startswith("+"):
        return now + datetime.timedelta(seconds=seconds(text[1:]))
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no time such as now, +2h or 2026-11-17T18:00") from None


def pairs(texts: list[str]) -> dict[str, Any]:
    """What was given as KEY=VALUE, any number of times."""
    return dict(text.partition("=")[::2] for text in texts)


def key_value(text: str) -> str:
    """KEY=VALUE as argparse checks it."""
    if "=" not in text:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return text
