"""Choose the microversion of a request. The dialect passes header names and range, and answers a refusal."""

import enum
import re
from collections.abc import Mapping
from functools import lru_cache

import microversion_parse
from msgspec import Struct

Version = tuple[int, int]

CHOICES_KEPT = 256

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
    legacy_headers: tuple[str, ...] = ()
    minimum: Version
    maximum: Version
    default: Version
    """The version of a request that names none."""

    def choose(self, headers: Mapping[str, str]) -> Version | VersionRefusal:
        """Return the version that a request asks for; header names are in lower case."""
        names = (microversion_parse.STANDARD_HEADER, *map(str.lower, self.legacy_headers))
        return _choose(self, tuple((name, headers[name]) for name in names if name in headers))


@lru_cache(maxsize=CHOICES_KEPT)
def _choose(offered: VersionRange, headers: tuple[tuple[str, str], ...]) -> Version | VersionRefusal:
    """Return the version that these headers ask for. Clients repeat a few of them, so that the choices are kept."""
    asked = microversion_parse.get_version(dict(headers), offered.service_type, offered.legacy_headers)
    if asked is None:
        return offered.default
    if asked.lower() == "latest":
        return offered.maximum
    form = _FORM.fullmatch(asked)
    if form is None:
        return VersionRefusal(Problem.MALFORMED, asked)
    version = (int(form[1]), int(form[2]))
    if not offered.minimum[0] <= version[0] <= offered.maximum[0]:
        return VersionRefusal(Problem.UNSUPPORTED_MAJOR, asked)
    if not offered.minimum <= version <= offered.maximum:
        return VersionRefusal(Problem.OUT_OF_RANGE, asked)
    return version
