"""Which microversion a request asks for. Names and range are passed in; what to answer is the dialect's."""

import enum
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import microversion_parse

Version = tuple[int, int]

_FORM = re.compile(r"([0-9]{1,6})\.([0-9]{1,6})")


class Problem(enum.Enum):
    """Why a version cannot be served."""

    MALFORMED = "malformed"
    UNSUPPORTED_MAJOR = "unsupported major"
    OUT_OF_RANGE = "out of range"


@dataclass(frozen=True, slots=True)
class VersionRefusal:
    """A version that cannot be served, as it was asked for."""

    problem: Problem
    asked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRange:
    """What a service understands: its names for the headers and its lowest and highest version."""

    service_type: str
    """The first word in ``OpenStack-API-Version: <service_type> 1.N``, which wins over the older headers."""
    legacy_headers: Sequence[str] = ()
    minimum: Version
    maximum: Version
    default: Version
    """What a request that names no version gets."""

    def choose(self, headers: Mapping[str, str]) -> Version | VersionRefusal:
        """The version of a request whose header names are in lower case."""
        asked = microversion_parse.get_version(dict(headers), self.service_type, self.legacy_headers)
        if asked is None:
            return self.default
        if asked.lower() == "latest":
            return self.maximum
        form = _FORM.fullmatch(asked)
        if form is None:
            return VersionRefusal(Problem.MALFORMED, asked)
        version = (int(form[1]), int(form[2]))
        if not self.minimum[0] <= version[0] <= self.maximum[0]:
            return VersionRefusal(Problem.UNSUPPORTED_MAJOR, asked)
        if not self.minimum <= version <= self.maximum:
            return VersionRefusal(Problem.OUT_OF_RANGE, asked)
        return version
