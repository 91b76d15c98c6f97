import pytest

from dibs.http.edge.sending import encode_headers
from dibs.http.messages import Response


def test_response_has_request_id_type_and_length() -> None:
    headers = dict(encode_headers(Response(200, b"{}"), "req-1"))
    assert headers[b"x-openstack-request-id"] == headers[b"openstack-request-id"] == b"req-1"
    assert headers[b"content-type"] == b"application/json"
    assert headers[b"content-length"] == b"2"


def test_content_type_of_the_dialect_is_kept() -> None:
    headers = encode_headers(Response(200, b"x", (("Content-Type", "text/plain"),)), "req-1")
    assert [value for name, value in headers if name == b"content-type"] == [b"text/plain"]


def test_response_without_content_has_no_length() -> None:
    assert b"content-length" not in dict(encode_headers(Response(204), "req-1"))


@pytest.mark.parametrize("value", ["a\r\nb", "a\0b", "\x7f"])
def test_control_character_in_a_header_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match="control character"):
        encode_headers(Response(200, b"", (("location", value),)), "req-1")
