"""What the CLIs send to hooks, recorded from the real ones (`tests/data/session_hooks`)."""

import json
from pathlib import Path
from typing import Any

PLACE = Path(__file__).parents[1] / "data" / "session_hooks"


def recorded_hooks(cli: str) -> list[dict[str, Any]]:
    """The hooks of a CLI: each input, with the moment that it means (null: none that rules are asked about)."""
    hooks: list[dict[str, Any]] = json.loads((PLACE / f"{cli}.json").read_text(encoding="utf-8"))["hooks"]
    return hooks


def recorded_inputs(cli: str) -> list[dict[str, Any]]:
    """The inputs alone."""
    return [hook["input"] for hook in recorded_hooks(cli)]


def recorded_answers(cli: str) -> dict[str, dict[str, Any]]:
    """How each event of a CLI is answered, by what was decided."""
    answers: dict[str, dict[str, Any]] = json.loads((PLACE / f"{cli}.json").read_text(encoding="utf-8"))["answers"]
    return answers
