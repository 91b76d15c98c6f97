"""Choose the microversion of a request. The dialect passes header names and range, and answers a refusal."""

import enum
import re
from collections.abc import Mapping, Sequence

import microversion_parse
from msgspec import Struct

Version = tuple[int, int]

_FORM = re.compile(r"([0-9]{1,6})\.([0-9]{1,6})")


class Problem(enum.Enum):
    """Why a version cannot be served."""

    MALFORMED = "malformed"
    UNSUPPORTED_MAJOR = "unsupported major"
    OUT_OF_RANGE = "out of range"


class VersionRefusal(Struct, frozen=True):
    """A version that cannot be served, as the client sent it."""

    problem: Problem
    asked: str


class VersionRange(Struct, frozen=True, kw_only=True):
    """The microversions of a service, and the headers that ask for one."""

    service_type: str
    """The first word in ``OpenStack-API-Version: <service_type> 1.N``, which takes precedence over legacy headers."""
    legacy_headers: Sequence[str] = ()
    minimum: Version
    maximum: Version
    default: Version
    """The version of a request that names none."""

    def choose(self, headers: Mapping[str, str]) -> Version | VersionRefusal:
        """Return the version that a request asks for; header names are in lower case."""
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
