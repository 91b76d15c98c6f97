"""Parse and evaluate default rules: the part of oslo.policy's language that they are written in.

A site's policy file may use the whole language, and oslo.policy itself evaluates it: see ``policy_file``. Without such
a file Dibs needs neither that library nor the distributions behind it. A test compares the two on every default rule.

Grammar: ``@``, ``!``, ``role:NAME``, ``rule:NAME``, ``ATTRIBUTE:VALUE``, parentheses, ``not``, ``and``, ``or``, in this
order of precedence. A value may contain ``%(name)s``, which stands for the target's value of that name.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

Target = Mapping[str, str | None]
Credentials = Mapping[str, Any]
Check = Callable[[Target, Credentials], bool]

_TOKENS = re.compile(r"\s+")
_ATTRIBUTE = re.compile(r"(?!(?:https?|roles|True|False|None)$)[a-z_]+", re.ASCII)


class BadRule(Exception):
    """A default rule that this module cannot parse."""


def compile_rules(rules: Mapping[str, str]) -> Mapping[str, Check]:
    """Return the check of each rule. A reference to a rule that is not defined allows nothing."""
    return _compile(tuple(rules.items()))


# Several dialects decide by the same rules, and parsing them takes a good part of a start.
@lru_cache(maxsize=16)
def _compile(rules: Iterable[tuple[str, str]]) -> Mapping[str, Check]:
    checks: dict[str, Check] = {}
    for name, text in rules:
        checks[name] = _Parser(name, text, checks).parse()
    return checks


class _Parser:
    """Parses one rule by recursive descent."""

    def __init__(self, name: str, text: str, checks: Mapping[str, Check]) -> None:
        self._name = name
        self._text = text
        self._checks = checks
        self._tokens = _tokenize(text)

    def parse(self) -> Check:
        check = self._any_of()
        if self._tokens:
            raise self._bad(self._tokens[0])
        return check

    def _any_of(self) -> Check:
        checks = [self._all_of()]
        while self._take("or"):
            checks.append(self._all_of())
        return checks[0] if len(checks) == 1 else lambda target, who: any(check(target, who) for check in checks)

    def _all_of(self) -> Check:
        checks = [self._single()]
        while self._take("and"):
            checks.append(self._single())
        return checks[0] if len(checks) == 1 else lambda target, who: all(check(target, who) for check in checks)

    def _single(self) -> Check:
        if self._take("not"):
            negated = self._single()
            return lambda target, who: not negated(target, who)
        if self._take("("):
            check = self._any_of()
            if not self._take(")"):
                raise self._bad("a missing parenthesis")
            return check
        if not self._tokens:
            raise self._bad("its end")
        return self._leaf(self._tokens.pop(0))

    def _take(self, token: str) -> bool:
        found = bool(self._tokens) and self._tokens[0].lower() == token
        if found:
            self._tokens.pop(0)
        return found

    def _leaf(self, token: str) -> Check:
        if token in ("@", "!"):
            allowed = token == "@"  # noqa: S105 - a word of the language
            return lambda target, who: allowed
        kind, _, value = token.partition(":")
        if kind == "rule" and value:
            return self._reference(value)
        if kind == "role" and value:
            return _has_role(value)
        if _ATTRIBUTE.fullmatch(kind) and value:
            return _has_attribute(kind, value)
        raise self._bad(token)

    def _reference(self, name: str) -> Check:
        def check(target: Target, who: Credentials) -> bool:
            referenced = self._checks.get(name)
            return referenced is not None and referenced(target, who)

        return check

    def _bad(self, token: str) -> BadRule:
        return BadRule(f"The rule {self._name!r} cannot be parsed at {token}: {self._text}")


def _tokenize(text: str) -> list[str]:
    """Split at white space and at parentheses, except those of ``%(name)s``."""
    tokens: list[str] = []
    for part in filter(None, _TOKENS.split(text)):
        word = part.lstrip("(")
        tokens += "(" * (len(part) - len(word))
        closed = word.rstrip(")")
        tokens += [closed] if closed else []
        tokens += ")" * (len(word) - len(closed))
    return tokens


def _has_role(value: str) -> Check:
    def check(target: Target, who: Credentials) -> bool:
        role = _fill(value, target)
        return role is not None and role.lower() in map(str.lower, who["roles"])

    return check


def _has_attribute(name: str, value: str) -> Check:
    def check(target: Target, who: Credentials) -> bool:
        # oslo.policy compares text, so an attribute that is None equals the word "None".
        return name in who and _fill(value, target) == str(who[name])

    return check


def _fill(value: str, target: Target) -> str | None:
    """Return the value with the target's values in it; None when the target lacks one."""
    try:
        return value % target
    except KeyError:
        return None
