"""What the inputs of hooks have in common, whatever CLI sends them."""

from collections.abc import Mapping
from typing import Any


def arguments_of(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a tool is called with; raises TypeError where that is no object."""
    arguments = given.get("tool_input") or {}
    if not isinstance(arguments, dict):
        raise TypeError("tool_input is no object")
    return arguments
