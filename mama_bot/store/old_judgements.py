"""Judgements as they were stored before a decision had one value of evidence, brought to the form of today."""

import json
from typing import Any

_EVIDENCE = ("findings", "figures", "claims", "checks", "checklist")
_TODAY = '"evidence":{'  # within a string of JSON its quotes are escaped


def with_evidence(body: str) -> str:
    """Return the JSON of an attempt, a post or a report with every decision in the form of today.

    Then a decision held its findings, figures, claims, checks and checklist itself, and a block its `retries` and what
    becomes of it when they are `exhausted`; one without retries left was final.
    """
    if _TODAY in body or '"decision":' not in body:
        return body
    value = json.loads(body)
    judgement = value.get("judgement") or {}
    for verdict in (*judgement.get("stages", ()), *value.get("objections", ())):
        if "evidence" not in verdict["decision"]:
            _upgrade(verdict)
    return json.dumps(value, ensure_ascii=False)


def _upgrade(verdict: dict[str, Any]) -> None:
    decision = verdict["decision"]
    decision["evidence"] = {key: decision.pop(key) for key in _EVIDENCE if key in decision}
    verdict["final"] = decision.pop("retries", None) == 0
    decision.pop("exhausted", None)
