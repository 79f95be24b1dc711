"""What the page is told, as values."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from mama_bot.config import FieldPath
from mama_bot.gateways.web.json_views import MAX_CLAIMS, message_view, receipt_view
from mama_bot.model import (
    Author,
    AuthorKind,
    BadgeKind,
    ClaimState,
    ConversationKey,
    Grade,
    InboundMessage,
    MessageId,
    Platform,
)
from mama_bot.triggers.foreign_text import prompt_of
from mama_bot.wording import Language
from tests.enforcement.claims.test_grades import receipt


def test_what_contradicts_a_reply_is_shown_however_many_claims_it_makes() -> None:
    made = receipt(*[Grade.AGENT] * (MAX_CLAIMS + 5))
    against = replace(made.claims[0], state=ClaimState.CONTRADICTED)
    view: Any = receipt_view(replace(made, claims=(*made.claims, against, *made.claims)))
    assert view["badge"]["kind"] == BadgeKind.CONTRADICTED.value
    assert [claim["state"] for claim in view["claims"]].count("contradicted") == 1
    assert len(view["claims"]) == MAX_CLAIMS
    assert view["claims_dropped"] == len(made.claims) * 2 + 1 - MAX_CLAIMS


@pytest.mark.parametrize("language", list(Language))
def test_people_read_the_words_of_a_delivery_without_the_marks_that_agents_are_given(language: Language) -> None:
    pieces: list[str | FieldPath] = ["Look at ", FieldPath(("issue", "title")), ".\n\nThen tell us."]
    text = prompt_of(pieces, {"issue": {"title": "Login <b>fails\n\n(really)"}}, language)
    assert text.count("<foreign-") == 2
    hook, person = (
        InboundMessage(
            id=MessageId("m1"),
            key=ConversationKey(Platform("web"), "c1"),
            author=Author(id="ci", name="ci", kind=kind),
            text=text,
            received_at=datetime(2026, 1, 1, tzinfo=UTC),
        )
        for kind in (AuthorKind.HOOK, AuthorKind.PERSON)
    )
    assert message_view(hook)["text"] == "Look at Login <b>fails\n\n(really).\n\nThen tell us."
    assert message_view(person)["text"] == text  # what a person wrote is theirs
