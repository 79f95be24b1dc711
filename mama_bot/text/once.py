"""A property that is worked out once, where threads may ask for it at the same time."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class Once(Generic[T]):
    """Makes a method a property whose value is kept with its object.

    Two threads that ask at once both work it out: `functools.cached_property` lets every thread wait that asks it of
    any object, so that a long text which is read in a thread would hold the event loop.
    """

    def __init__(self, work_out: Callable[[Any], T]) -> None:
        self._work_out = work_out
        self._name = ""
        self.__doc__ = work_out.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> "Once[T]": ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> "Once[T] | T":
        """Return the value, worked out now; from then on it is found before this is asked."""
        if instance is None:
            return self
        value = vars(instance)[self._name] = self._work_out(instance)
        return value
