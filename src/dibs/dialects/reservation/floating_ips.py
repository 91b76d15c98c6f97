"""Refuse requests about floating IPs, which Dibs does not lease."""

from typing import NoReturn

from dibs.dialects.reservation.errors import Refusal
from dibs.dialects.reservation.exchange import Exchange

LEFT_OUT = "Floating IPs cannot be reserved here: Dibs leases hosts and instances, not networks."


def refuse(exchange: Exchange) -> NoReturn:
    """Every request about floating IPs"""
    raise Refusal(404, LEFT_OUT)
