"""Invalid values that are known to break services: the input of the attacks."""

from typing import Any

from tests.attacks.target import INSTANCE, NODES

UNKNOWN = "dddddddd-0000-4000-8000-000000000001"


def nested(depth: int) -> Any:
    """Return nested lists and objects."""
    value: Any = 1
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


TEXTS = (
    "", " ", "\n", "\t", "\0", "a\0b", "\ud800", "\udfff\ud800", "😀" * 256, "é" * 300, "a" * 255, "a" * 256,
    "b" * 5_000, "İ", "ß", "\u202e", "%", "%00", "%%s{}{0}", "\\", "'", '"', "';--", "../..", "null", "None", "true",
    "maybe", "-1", "1e999", "9" * 20, "NaN", "-", "~", "~1", "/", "CUSTOM_A", "CUSTOM_", "HW_CPU_X86_VMX",
    "aa:bb:cc:dd:ee:ff", INSTANCE, UNKNOWN, NODES["available"].upper(), "available", "detail", "fake-hardware",
    "noop",
)  # fmt: skip

VALUES = (
    None, True, False, 0, 1, -1, 2**31, 2**63, -(2**63) - 1, 2**64, 10**400, 0.5, 1e308, -0.0, [], {}, [[]], [None],
    {"": {}}, {"a": None}, {"\0": 1}, {"a": "\0"}, {"a": "\ud800"}, {"\ud800": 1}, ["a"] * 1_001,
    {str(n): n for n in range(300)}, {"traits": "x"}, {"traits": ["CUSTOM_Z"]}, {"display_name": 5},
    {"capabilities": "a:b"}, {"fake_delay_deploy": "x"}, {"image_url": 1, "configdrive": {}}, {"password": [{"a": 1}]},
    nested(50), nested(99), nested(150), nested(900),
)  # fmt: skip

BODIES = (
    b"{", b"}", b"[", b"nul", b"'a'", b"{} {}", b"\xff\xfe", b"\xef\xbb\xbf{}", b"\0", b"NaN", b"Infinity",
    b'{"a":NaN}', b'{"driver": -Infinity}', b'{"extra": {"a": 1e999}}', b'{"driver": "fake-hardware", "driver": 5}',
    b'"\\ud800"', b'{"a": "\\u0000"}', b"1" * 5_000, b"[" * 100_000, b'{"a":' * 100_000,
    b"[" * 50_000 + b"]" * 50_000, b'{"driver":"fake-hardware","extra":' + b"[" * 90_000 + b"]" * 90_000 + b"}",
    b'{"name": "' + b"n" * 1_000_000 + b'"}', b'{"driver":"fake-hardware","name": "' + b"n" * 1_000_000 + b'"}',
    b'{"driver":"fake-hardware","extra":{"a":' + b"9" * 4_000 + b"}}", b"null", b"[]", b"0", b'""', b"   ", b"{}",
    b'{"driver": "fake\xff"}', b'[{"op":"add","path":"/extra","value":' + b'{"a":' * 150 + b"1" + b"}" * 150 + b"}]",
)  # fmt: skip

PATCH_PATHS = (
    "", "/", "//", "/-", "/~", "/~1", "/~0", "/~2", "name", "/name/a", "/name/0", "/name/-", "/extra/-", "/extra/a/b",
    "/extra/", "/extra//", "/extra/~1", "/extra/~01~10", "/extra/0", "/driver", "/driver/", "/driver_info/\0", "/id",
    "/traits", "/traits/0", "/uuid", "/links", "/reservation", "/extra" + "/a" * 500, "/extra/" + "b" * 2_000,
    "/\ud800", "/extra/list/-1", "/extra/list/00", "/extra/list/99999999999999999999", "/instance_info/traits/-",
    "/address", "/node_uuid", "/portgroup_uuid", "/local_link_connection/port_id", "/EXTRA", "/ extra", "/%65xtra",
)  # fmt: skip

QUERY_VALUES = (
    "0", "1", "-1", "1000", "1001", str(2**63), str(2**64), "9" * 400, " 5 ", "+5", "0x10", "1_0", "asc", "desc", "id",
    "uuid", "created_at", "links", "traits", "driver_info", "name", "uuid,traits", ",", ",,a", "uuid,uuid", "," * 3_000,
    ",".join(f"s{n}" for n in range(1_100)), ",".join(f"CUSTOM_{n}" for n in range(60)), "CUSTOM_A,CUSTOM_B",
    "power failure", "available", "true", "false", INSTANCE, NODES["available"],
)  # fmt: skip

QUERIES = (
    b"%", b"%zz", b"%00", b"a%00=1", b"%ff%fe", b"=", b"&&&", b"=1&=2", b"limit=%ff", b"a" * 5_000, b"limit=1&" * 1_500,
)  # fmt: skip

VERSIONS = (
    b"", b"1", b"1.", b".1", b"2.0", b"1.999", b"-1.1", b"1.1.1", "1.٣".encode(), b"a.b", b"1e1.5", b"9" * 5_000,
    b"1.1", b"1.5", b"1.11", b"1.36", b"1.37", b"latest", b"\xff", b"LATEST", b"1.01", b"1.1, 1.2",
)  # fmt: skip

CONTENT_TYPES = (b"application/json-patch+json", b"text/plain", b"", b"\xff", b"application/json;q", b"a" * 1_000)
ACCEPTS = (b"text/html", b"application/json;q=0", b";;;", b"\xff", b",", b"*/*;q=nan", b"application/*;q=" + b"9" * 999)
METHODS = ("GET", "PUT", "POST", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "BREW", "get", "")
PATH_ENDINGS = (
    b"/",
    b"//",
    b"/x",
    b"%",
    b"%ff",
    b"%00",
    b"%2f",
    b"%2F..",
    b"/../nodes",
    b";a=b",
    b"%c0%80",
    b"/" * 500,
)
