"""Messages of the ledger's errors."""

from dibs.ledger.model.errors import CapacityExceeded, InvalidCapacity


def test_a_message_of_two_lines_is_one_line() -> None:
    assert str(CapacityExceeded(resource_class="VCPU", provider="host")) == (
        "Unable to create allocation for 'VCPU' on resource provider 'host'. The requested amount would exceed the"
        " capacity."
    )


def test_the_values_stay_available_to_dialects() -> None:
    error = InvalidCapacity(resource_class="VCPU", provider="host", relation="greater than")
    assert error.details == {"resource_class": "VCPU", "provider": "host", "relation": "greater than"}
