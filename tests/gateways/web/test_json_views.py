"""What the page is told, as values."""

from dataclasses import replace
from typing import Any

from mama_bot.gateways.web.json_views import MAX_CLAIMS, receipt_view
from mama_bot.model import BadgeKind, ClaimState, Grade
from tests.enforcement.claims.test_grades import receipt


def test_what_contradicts_a_reply_is_shown_however_many_claims_it_makes() -> None:
    made = receipt(*[Grade.AGENT] * (MAX_CLAIMS + 5))
    against = replace(made.claims[0], state=ClaimState.CONTRADICTED)
    view: Any = receipt_view(replace(made, claims=(*made.claims, against, *made.claims)))
    assert view["badge"]["kind"] == BadgeKind.CONTRADICTED.value
    assert [claim["state"] for claim in view["claims"]].count("contradicted") == 1
    assert len(view["claims"]) == MAX_CLAIMS
    assert view["claims_dropped"] == len(made.claims) * 2 + 1 - MAX_CLAIMS
