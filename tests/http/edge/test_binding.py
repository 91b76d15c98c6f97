"""Bind addresses."""

import socket
from pathlib import Path

import pytest

from dibs.http.edge.binding import Address, BindError, close_socket, is_loopback, open_socket, parse_address


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:80", Address("127.0.0.1", 80)),
        ("[::1]:80", Address("::1", 80)),
        ("localhost:0", Address("localhost", 0)),
        ("unix:/run/dibs.sock", Address(path="/run/dibs.sock")),
    ],
)
def test_address_is_parsed_and_formatted_alike(text: str, address: Address) -> None:
    assert parse_address(text) == address
    assert str(address) == text


@pytest.mark.parametrize("text", ["", "80", ":80", "a:", "a:b", "a:65536", "a:-1", "unix:"])
def test_invalid_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_address(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("127.0.0.1:1", True),
        ("127.9.9.9:1", True),
        ("[::1]:1", True),
        ("unix:/x", True),
        ("localhost:1", True),
        ("0.0.0.0:1", False),
        ("[::]:1", False),
        ("192.0.2.1:1", False),
        ("no-such-host.invalid:1", False),
    ],
)
def test_loopback_addresses(text: str, expected: bool) -> None:
    assert is_loopback(parse_address(text)) is expected


def test_socket_file_is_replaced_only_when_its_server_is_dead(tmp_path: Path) -> None:
    address = Address(path=str(tmp_path / "s"))
    open_socket(address).close()
    living = open_socket(address)
    with pytest.raises(BindError, match="Address already in use"):
        open_socket(address)
    close_socket(living, address)
    assert not (tmp_path / "s").exists()


def test_file_that_is_not_a_socket_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_text("precious")
    with pytest.raises(BindError):
        open_socket(Address(path=str(path)))
    assert path.read_text() == "precious"


def test_url_of_a_wildcard_address_is_loopback() -> None:
    assert Address("0.0.0.0", 5).url(tls=False) == "http://127.0.0.1:5"
    assert Address("::", 5).url(tls=True) == "https://[::1]:5"


def test_ipv6_address_can_be_bound() -> None:
    sock = open_socket(Address("::1", 0))
    assert sock.family == socket.AF_INET6
    sock.close()
