"""Who may do what: rules by name in the language of oslo.policy, with a file of one's own on top of the defaults.

Knows no rule: a dialect brings its names and default checks, which are those of the service whose API it speaks, so
that an existing policy.yaml carries over. The file is read once, at the start.
"""

from collections.abc import Mapping
from typing import Any

from oslo_config import cfg
from oslo_policy import opts, policy

from dibs.domain.actor import Actor


class RuleBook:
    """Rules by name. A name that nobody defined allows nothing."""

    def __init__(self, defaults: Mapping[str, str], policy_file: str | None = None) -> None:
        conf = cfg.ConfigOpts()
        conf([], project="dibs", default_config_files=[], default_config_dirs=[])
        opts.set_defaults(conf, policy_file=policy_file)
        self._enforcer = policy.Enforcer(conf, policy_file=policy_file, use_conf=policy_file is not None)
        self._enforcer.suppress_default_change_warnings = True
        self._enforcer.register_defaults([policy.RuleDefault(name, check) for name, check in defaults.items()])
        self._enforcer.load_rules()

    def allows(self, rule: str, actor: Actor, target: Mapping[str, Any]) -> bool:
        """True when the rule lets the actor do this to the target."""
        check = self._enforcer.rules.get(rule)
        return check is not None and bool(check(target, _credentials(actor), self._enforcer, rule))


def _credentials(actor: Actor) -> dict[str, Any]:
    """The caller in the words that rules use."""
    return {
        "user_id": actor.user,
        "project_id": actor.project,
        "roles": list(actor.roles),
        "system_scope": "all" if actor.system_scope else None,
    }
