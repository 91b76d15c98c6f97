"""Requests that nobody should send: rubbish in every place of every route."""

import json
from typing import Any

from hypothesis import strategies as st

from dibs.dialects.baremetal.fields import BY_NAME
from dibs.dialects.baremetal.filters import FILTERS
from dibs.dialects.baremetal.routes import ROUTES
from dibs.domain import node_states as states
from tests.attacks.target import INSTANCE, NEWEST, NODES, PORT, Attack

UNKNOWN = "dddddddd-0000-4000-8000-000000000001"


def nested(depth: int) -> Any:
    """Lists and objects in each other."""
    value: Any = 1
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


ODD_TEXTS = (
    "", " ", "\n", "\t", "\0", "a\0b", "\ud800", "\udfff\ud800", "😀" * 256, "é" * 300, "a" * 255, "a" * 256, "a" * 5_000,
    "İ", "ß", "\u202e", "%", "%00", "%%s{}{0}", "\\", "'", '"', "';--", "../..", "null", "None", "true", "maybe", "-1",
    "1e999", "9" * 20, "NaN", "-", "~", "~1", "/", "CUSTOM_A", "CUSTOM_", "HW_CPU_X86_VMX", "aa:bb:cc:dd:ee:ff",
    INSTANCE, UNKNOWN, NODES["available"].upper(), "available", "detail", "fake-hardware", "noop",
)  # fmt: skip
ODD_VALUES = (
    None, True, False, 0, 1, -1, 2**31, 2**63, -(2**63) - 1, 2**64, 10**400, 0.5, 1e308, -0.0, [], {}, [[]], [None], {"": {}},
    {"a": None}, {"\0": 1}, {"a": "\0"}, {"a": "\ud800"}, {"\ud800": 1}, ["a"] * 1_001, {str(n): n for n in range(300)},
    {"traits": "x"}, {"traits": ["CUSTOM_Z"]}, {"display_name": 5}, {"capabilities": "a:b"}, {"fake_delay_deploy": "x"},
    nested(50), nested(99), nested(150), nested(900),
)  # fmt: skip

texts = st.sampled_from(ODD_TEXTS) | st.text(max_size=40) | st.from_regex(r"[A-Za-z0-9._~:-]{1,40}", fullmatch=True)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = (
    st.sampled_from(ODD_VALUES)
    | scalars
    | st.recursive(scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4))
)

RAW_BODIES = (
    b"{", b"}", b"[", b"nul", b"'a'", b"{} {}", b"\xff\xfe", b"\xef\xbb\xbf{}", b"\0", b"NaN", b"Infinity", b'{"a":NaN}',
    b'{"driver": -Infinity}', b'{"extra": {"a": 1e999}}', b'{"driver": "fake-hardware", "driver": 5}', b'"\\ud800"',
    b'{"a": "\\u0000"}', b"1" * 5_000, b"[" * 100_000, b'{"a":' * 100_000, b"[" * 50_000 + b"]" * 50_000,
    b'{"driver":"fake-hardware","extra":' + b"[" * 90_000 + b"]" * 90_000 + b"}",
    b'{"name": "' + b"n" * 1_000_000 + b'"}', b'{"driver":"fake-hardware","name": "' + b"n" * 1_000_000 + b'"}',
    b'{"driver":"fake-hardware","extra":{"a":' + b"9" * 4_000 + b"}}", b"null", b"[]", b"0", b'""', b"   ", b"{}",
    b'{"driver": "fake\xff"}', b'[{"op":"add","path":"/extra","value":' + b'{"a":' * 150 + b"1" + b"}" * 150 + b"}]",
)  # fmt: skip

# --- bodies -----------------------------------------------------------------------------------------------------------

_FIELDS_OF_BODIES = {
    "nodes": sorted(BY_NAME),
    "ports": [
        "uuid", "address", "node_uuid", "node_ident", "extra", "internal_info", "is_smartnic", "local_link_connection",
        "physical_network", "pxe_enabled", "name", "description", "vendor", "category", "portgroup_uuid",
        "available_for_dynamic_portgroup",
    ],
    "power": ["target", "timeout"],
    "provision": [
        "target", "configdrive", "clean_steps", "deploy_steps", "service_steps", "rescue_password", "disable_ramdisk",
    ],
    "boot_device": ["boot_device", "persistent"],
    "traits": ["traits"],
    "maintenance": ["reason"],
}  # fmt: skip
_STEP = {"interface": "deploy", "step": "hold", "args": {}, "priority": 1}
_GOOD = {
    "nodes": {"driver": "fake-hardware"},
    "ports": {"node_uuid": NODES["available"], "address": "52:54:00:00:00:99"},
    "power": {"target": "power on"},
    "provision": {"target": "manage"},
    "boot_device": {"boot_device": "pxe"},
    "traits": {"traits": ["CUSTOM_C"]},
    "maintenance": {"reason": "broken"},
}
_ATTRIBUTES = tuple(BY_NAME)
_PATHS = (
    "", "/", "//", "/-", "/~", "/~1", "/~0", "/~2", "name", "/name/a", "/name/0", "/name/-", "/extra/-", "/extra/a/b/c",
    "/extra/", "/extra//", "/extra/~1", "/extra/~01~10", "/extra/0", "/driver", "/driver/", "/driver_info/\0", "/traits",
    "/traits/0", "/uuid", "/id", "/links", "/reservation", "/extra" + "/a" * 500, "/extra/" + "b" * 2_000, "/\ud800",
    "/extra/list/-1", "/extra/list/00", "/extra/list/99999999999999999999", "/instance_info/traits/-", "/chassis_uuid",
    "/maintenance", "/protected", "/retired", "/resource_class", "/instance_uuid", "/conductor_group", "/address",
    "/node_uuid", "/portgroup_uuid", "/local_link_connection/port_id", "/EXTRA", "/ extra", "/%65xtra",
)  # fmt: skip

operations = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "replace", "remove"]) | st.sampled_from(["move", "copy", "test"]) | values},
    optional={
        "path": st.sampled_from(_PATHS) | st.sampled_from([f"/{name}" for name in _ATTRIBUTES]) | values,
        "value": values,
        "from": texts,
    },
)
patches = st.lists(operations, max_size=4)
sound_patches = st.lists(
    st.fixed_dictionaries(
        {
            "op": st.sampled_from(["add", "replace", "remove"]),
            "path": st.sampled_from(_PATHS) | st.sampled_from([f"/{name}" for name in _ATTRIBUTES]),
            "value": values,
        }
    ),
    min_size=1,
    max_size=3,
)


@st.composite
def _documents(draw: st.DrawFn, kind: str) -> Any:
    """A body that would be accepted, with a field or two spoilt."""
    document: dict[str, Any] = dict(_GOOD[kind])
    if kind == "provision":
        document["target"] = draw(st.sampled_from([*states.VERBS, *states.ALIASES]))
        if draw(st.booleans()):
            document["clean_steps" if document["target"] == "clean" else "deploy_steps"] = [_STEP]
    for name in draw(st.lists(st.sampled_from(_FIELDS_OF_BODIES[kind]) | texts, max_size=2)):
        document[name] = draw(values)
    if draw(st.integers(0, 5)) == 0:
        document.pop(draw(st.sampled_from(sorted(document))))
    return document


def _kind_of(path: str) -> str | None:
    last = path.rpartition("/")[2]
    return last if last in _GOOD else None


@st.composite
def _bodies(draw: st.DrawFn, method: str, path: str) -> bytes:
    kind = _kind_of(path)
    choices: list[st.SearchStrategy[Any]] = [values]
    if method == "PATCH":
        choices = [patches, sound_patches, sound_patches, values]
    elif kind is not None and method in ("POST", "PUT"):
        choices = [_documents(kind)] * 3 + [values]
    raw = st.sampled_from(RAW_BODIES) | st.binary(max_size=30)
    return draw(st.one_of([raw, *(choice.map(_encode) for choice in choices)]))


def _encode(document: Any) -> bytes:
    return json.dumps(document).encode()


# --- the rest of a request --------------------------------------------------------------------------------------------

idents = st.sampled_from([*NODES.values(), *NODES, PORT, UNKNOWN, NODES["available"].upper()]) | texts
_QUERY_NAMES = sorted({name for route in ROUTES for name in route.query} | {row.name for row in FILTERS})
_QUERY_VALUES = (
    "0", "1", "-1", "1000", "1001", str(2**63), str(2**64), "9" * 400, " 5 ", "+5", "0x10", "1_0", "asc", "desc", "id", "uuid",
    "created_at", "links", "traits", "driver_info", "name", "uuid,traits", ",", ",,a", "uuid,uuid", "," * 3_000,
    ",".join(f"s{n}" for n in range(1_100)), ",".join(f"CUSTOM_{n}" for n in range(60)), "CUSTOM_A,CUSTOM_B", "power failure",
)  # fmt: skip
_RAW_QUERIES = (
    b"%",
    b"%zz",
    b"%00",
    b"a%00=1",
    b"%ff%fe",
    b"=",
    b"&&&",
    b"=1&=2",
    b"limit=%ff",
    b"a" * 5_000,
    b"limit=1&" * 1_500,
)

versions = (
    st.sampled_from([NEWEST] * 6 + ["1.1", "1.5", "1.11", "1.36", "1.37", "latest"])
    | st.sampled_from(
        ["", "1", "1.", ".1", "2.0", "1.999", "-1.1", "1.1.1", "1.٣", "a.b", "1e1.5", "9" * 5_000, "1.01"]
    )
    | st.text(max_size=5)
)


def _percent(text: str) -> bytes:
    from urllib.parse import quote

    return quote(text.encode("utf-8", "surrogatepass"), safe="").encode()


@st.composite
def _paths(draw: st.DrawFn, template: str) -> bytes:
    """The route's path with something in each brace, or rubbish."""
    parts = [_percent(draw(idents)) if part.startswith("{") else part.encode() for part in template.split("/")]
    path = b"/".join(parts)
    return draw(
        st.sampled_from([path] * 8 + [path + b"/", path + b"//", path + b"/x", b"/" + path, path + b"%", path + b"%ff"])
    )


@st.composite
def _queries(draw: st.DrawFn, names: list[str]) -> bytes:
    if draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from(_RAW_QUERIES) | st.binary(max_size=20))
    chosen = draw(st.lists(st.sampled_from(names or _QUERY_NAMES) | st.sampled_from(_QUERY_NAMES), max_size=3))
    pairs = [(name, draw(st.sampled_from(_QUERY_VALUES) | texts)) for name in chosen]
    return b"&".join(name.encode() + b"=" + _percent(value) for name, value in pairs)


@st.composite
def attacks(draw: st.DrawFn) -> Attack:
    """Any route, with rubbish in some of its places."""
    route = draw(st.sampled_from(ROUTES))
    method = draw(
        st.sampled_from([route.method] * 9 + ["GET", "PUT", "POST", "PATCH", "DELETE", "HEAD", "OPTIONS", "BREW"])
    )
    body = (
        draw(_bodies(method, route.path)) if method in ("POST", "PUT", "PATCH") or draw(st.integers(0, 9)) == 0 else b""
    )
    query = draw(_queries(sorted(route.query))) if route.query or draw(st.integers(0, 9)) == 0 else b""
    types = [b"application/json"] * 12 + [
        b"application/json-patch+json",
        b"text/plain",
        b"",
        b"\xff",
        b"application/json;q",
    ]
    headers = {
        "x-openstack-ironic-api-version": draw(versions).encode("utf-8", "replace").translate(None, b"\r\n\0"),
        "content-type": draw(st.sampled_from(types)),
        "accept": draw(st.sampled_from([b"*/*"] * 12 + [b"text/html", b"application/json;q=0", b";;;", b"\xff"])),
    }
    return Attack(method, draw(_paths(route.path)), query, body, headers)


@st.composite
def patch_attacks(draw: st.DrawFn) -> Attack:
    """Patches alone: most of what can go wrong inside a transaction goes wrong here."""
    path = draw(st.sampled_from([f"/v1/nodes/{uuid}" for uuid in NODES.values()] + [f"/v1/ports/{PORT}"]))
    return Attack.of("PATCH", path, draw(sound_patches | patches))


@st.composite
def query_attacks(draw: st.DrawFn) -> Attack:
    """Lists with rubbish for every filter."""
    route = draw(st.sampled_from([route for route in ROUTES if route.query]))
    version = {"x-openstack-ironic-api-version": draw(st.sampled_from([NEWEST.encode()] * 5 + [b"1.1", b"1.40"]))}
    path = route.path.format(node=NODES["available"], port=PORT, driver="fake-hardware", conductor="conductor-1")
    return Attack("GET", path.encode(), draw(_queries(sorted(route.query))), b"", version)
