"""Who may do what: rules by name in the language of oslo.policy, with a file of one's own on top of the defaults.

Knows no rule: a dialect brings its names and default checks, which are those of the service whose API it speaks, so
that an existing policy.yaml carries over. The file is read once, at the start.
"""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from oslo_policy import policy

from dibs.access.actor import Actor

REMEMBERED_MAX = 16_384

_Target = tuple[tuple[str, str | None], ...]


class RuleBook:
    """Rules by name. A name that nobody defined allows nothing."""

    def __init__(self, defaults: Mapping[str, str], policy_file: str | None = None) -> None:
        # Checks that refer to other rules look for them here under this name.
        self.rules = policy.Rules.from_dict(dict(defaults))
        if policy_file is not None:
            self.rules.update(policy.Rules.load(Path(policy_file).read_text()))
        # The library inspects the signature of every check at every call, which costs more than the database. What a
        # rule says follows from its arguments alone, so it is remembered, unless it asks somebody over HTTP.
        asks_others = any("http:" in str(check) or "https:" in str(check) for check in self.rules.values())
        self._answer = self._ask if asks_others else lru_cache(maxsize=REMEMBERED_MAX)(self._ask)

    def allows(self, rule: str, actor: Actor, target: Mapping[str, str | None]) -> bool:
        """True when the rule lets the actor do this to the target: names and values to compare with the actor's."""
        return self._answer(rule, actor, tuple(target.items()))

    def _ask(self, rule: str, actor: Actor, target: _Target) -> bool:
        check = self.rules.get(rule)
        return check is not None and bool(check(dict(target), _credentials(actor), cast(Any, self), rule))


def _credentials(actor: Actor) -> dict[str, Any]:
    """The caller in the words that rules use."""
    return {
        "user_id": actor.user,
        "project_id": actor.project,
        "roles": list(actor.roles),
        "system_scope": "all" if actor.system_scope else None,
    }
