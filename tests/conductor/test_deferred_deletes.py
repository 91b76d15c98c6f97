"""Servers whose delete was deferred."""

from dibs.conductor.deferred_deletes import finish_deferred_deletes


class Servers:
    """A runner with two servers to delete, of which one cannot be deleted."""

    def read(self, operation, access, command):
        return ["stuck", "other"]

    def write(self, operation, access, uuid):
        if uuid == "stuck":
            raise RuntimeError("broken")
        return True


def test_server_that_cannot_be_deleted_does_not_delay_the_others(caplog):
    assert finish_deferred_deletes(Servers()) == 1
    assert "the delete of server stuck failed" in caplog.text
