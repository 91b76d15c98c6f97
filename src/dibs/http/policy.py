"""Who may do what: rules by name in the language of oslo.policy, with a file of one's own on top of the defaults.

Knows no rule: a dialect brings its names and default checks, which are those of the service whose API it speaks, so
that an existing policy.yaml carries over. The file is read once, at the start.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from oslo_policy import policy

from dibs.domain.actor import Actor


class RuleBook:
    """Rules by name. A name that nobody defined allows nothing."""

    def __init__(self, defaults: Mapping[str, str], policy_file: str | None = None) -> None:
        # Checks that refer to other rules look for them here under this name.
        self.rules = policy.Rules.from_dict(dict(defaults))
        if policy_file is not None:
            self.rules.update(policy.Rules.load(Path(policy_file).read_text()))

    def allows(self, rule: str, actor: Actor, target: Mapping[str, Any]) -> bool:
        """True when the rule lets the actor do this to the target."""
        check = self.rules.get(rule)
        return check is not None and bool(check(target, _credentials(actor), cast(Any, self), rule))


def _credentials(actor: Actor) -> dict[str, Any]:
    """The caller in the words that rules use."""
    return {
        "user_id": actor.user,
        "project_id": actor.project,
        "roles": list(actor.roles),
        "system_scope": "all" if actor.system_scope else None,
    }
