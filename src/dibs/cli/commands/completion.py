"""``dibs complete``: scripts that complete commands and options in bash, zsh and fish.

cliff generates the script for bash. Those for zsh and fish are generated here from the same commands and parsers.
"""

import argparse
import shlex

from cliff.complete import CompleteCommand
from msgspec import Struct

_ZSH = """\
#compdef dibs
_dibs() {{
  local -A choices
  choices=(
{choices}
  )
  local place='dibs' word
  for word in ${{words[2,CURRENT-1]}}; do
    (( ${{+choices[$place $word]}} )) || break
    place="$place $word"
  done
  local -a found=(${{=choices[$place]}})
  if [[ ${{found[1]}} == -* && $PREFIX != -* ]]; then
    _files
  else
    compadd -- $found
  fi
}}
if [[ ${{funcstack[1]}} == _dibs ]]; then _dibs "$@"; else compdef _dibs dibs; fi
"""
"""Works both with ``source <(dibs complete --shell zsh)`` and as the file _dibs of a folder in fpath."""

_FISH = """\
function __dibs_at
    set -l words (commandline -opc)
    set -l place dibs
    for word in $words[2..]
        contains -- "$place $word" $__dibs_places; or break
        set place "$place $word"
    end
    test "$place" = "$argv"
end
set -g __dibs_places {places}
{rules}
"""


class _Choice(Struct, frozen=True):
    """A word that can follow: a command, or an option with its help."""

    word: str
    summary: str = ""


class Complete(CompleteCommand):
    """Print the completion script of a shell."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser, with the shells of cliff, zsh and fish."""
        parser = super().get_parser(prog_name)
        shell = next(action for action in parser._actions if action.dest == "shell")
        shell.choices = ["bash", "fish", "none", "zsh"]
        shell.help = "Shell: bash (the default), zsh or fish; none prints the data only"
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Print the script."""
        scripts = {"zsh": _zsh, "fish": _fish}
        if parsed_args.shell not in scripts:
            return super().take_action(parsed_args)
        self.app.stdout.write(scripts[parsed_args.shell](self._choices()))
        return 0

    def _choices(self) -> dict[str, list[_Choice]]:
        """Return what can follow each beginning of a command line: nouns, verbs, then options."""
        found: dict[str, dict[str, _Choice]] = {"dibs": {}}
        for name, _ in sorted(self.app.command_manager):
            words = name.split()
            for depth, word in enumerate(words):
                found.setdefault(" ".join(["dibs", *words[:depth]]), {}).setdefault(word, _Choice(word))
            options = (
                _Choice(option, action.help or "")
                for action in self.get_actions(words)
                for option in action.option_strings
                if option.startswith("--") and action.help != argparse.SUPPRESS
            )
            found[f"dibs {name}"] = {option.word: option for option in options}
        return {place: list(choices.values()) for place, choices in found.items()}


def _zsh(choices: dict[str, list[_Choice]]) -> str:
    lines = (
        f"    {shlex.quote(place)} {shlex.quote(' '.join(choice.word for choice in following))}"
        for place, following in choices.items()
    )
    return _ZSH.format(choices="\n".join(lines))


def _fish(choices: dict[str, list[_Choice]]) -> str:
    rules = []
    for place, following in choices.items():
        for choice in following:
            what = f"-l {choice.word[2:]}" if choice.word.startswith("--") else f"-f -a {choice.word}"
            summary = " ".join(choice.summary.replace("%%", "%").split())
            rules.append(f"complete -c dibs -n {_fish_quoted(f'__dibs_at {place}')} {what} -d {_fish_quoted(summary)}")
    places = " ".join(_fish_quoted(place) for place in choices)
    return _FISH.format(places=places, rules="\n".join(rules))


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
