"""A site's policy file on top of the default rules, evaluated by oslo.policy."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dibs.extras import needs_extra

with needs_extra("policy", "policy_file"):
    from oslo_config import cfg
    from oslo_policy import policy


class PolicyFile:
    """The default rules, of which the file replaces those that it names. The file is read once, at start."""

    def __init__(self, defaults: Mapping[str, str], path: str) -> None:
        # A configuration of its own, so that no file of another service is read.
        configuration = cfg.ConfigOpts()
        configuration([], project="dibs", default_config_files=[], default_config_dirs=[])
        self._enforcer = policy.Enforcer(configuration, use_conf=False)
        rules = policy.Rules.from_dict(dict(defaults))
        rules.update(policy.Rules.load(Path(path).read_text()))
        self._enforcer.set_rules(rules, use_conf=False)

    @property
    def calls_services(self) -> bool:
        """True when a rule asks a service over HTTP, so that the same question may get another answer later."""
        return any("http:" in str(check) or "https:" in str(check) for check in self._enforcer.rules.values())

    def check(self, rule: str, target: Mapping[str, str | None], credentials: dict[str, Any]) -> bool:
        """Return True when the rule grants this; a rule that is not defined grants nothing."""
        check = self._enforcer.rules.get(rule)
        return check is not None and bool(check(dict(target), credentials, self._enforcer, rule))
