"""The filters by trait of specification 004, as options of the stock ``openstack baremetal node list``.

cliff loads hooks of a command from entry points. python-ironicclient has no argument for these filters, so the hook
adds them to the path that its node manager requests.
"""

import argparse
from typing import Any
from urllib.parse import urlencode

from cliff.hooks import CommandHook

from dibs.cli.argument_types import SEVERAL

_FILTERS = {
    "trait": ("traits", "Filter by traits; nodes must have all of them"),
    "trait_any": ("traits-any", "Filter by traits; nodes must have at least one"),
    "not_trait": ("not-traits", "Filter by traits; nodes must lack at least one"),
    "not_trait_any": ("not-traits-any", "Filter by traits; nodes must have none of them"),
}
"""By name of the argument: the query parameter, and the help."""


class TraitFilters(CommandHook):
    """Adds four options to ``baremetal node list``. Only a Dibs understands the filters; Ironic answers 400."""

    def get_parser(self, parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
        """Add the options."""
        for argument, (_, text) in _FILTERS.items():
            parser.add_argument(f"--{argument.replace('_', '-')}", **SEVERAL, metavar="<trait>", help=f"{text} (Dibs)")
        return parser

    def get_epilog(self) -> str:
        """Return nothing."""
        return ""

    def before(self, parsed_args: argparse.Namespace) -> argparse.Namespace:
        """Add the filters to the request that the command will send."""
        given = {query: getattr(parsed_args, argument) for argument, (query, _) in _FILTERS.items()}
        query = urlencode({name: ",".join(traits) for name, traits in given.items() if traits}, safe=",")
        if query:
            _add_query(self.cmd.app.client_manager.baremetal.node, query)  # type: ignore[attr-defined]
        return parsed_args

    def after(self, parsed_args: argparse.Namespace, return_code: int) -> int:
        """Leave the exit code as it is."""
        return return_code


def _add_query(manager: Any, query: str) -> None:
    path_of = manager._path

    def with_filters(ident: str | None = None) -> str:
        path = str(path_of(ident))
        return f"{path}{'&' if '?' in path else '?'}{query}"

    manager._path = with_filters
