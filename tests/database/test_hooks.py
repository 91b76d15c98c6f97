import pytest

from dibs.database.hooks import NO_HOOKS, Hooks


class Guard:
    pass


class LeaseGuard(Guard):
    pass


def test_hooks_are_found_by_the_class_that_the_lower_package_defines() -> None:
    first, other, second = LeaseGuard(), object(), Guard()
    assert Hooks(first, other, second).every(Guard) == (first, second)


def test_operation_without_its_hooks_fails() -> None:
    with pytest.raises(RuntimeError, match="No Guard is registered"):
        NO_HOOKS.every(Guard)
