"""No value that bears text from outside can hold half a character, however it was made."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.model import (
    Attachment,
    Author,
    Claim,
    ClaimKind,
    ConversationKey,
    Delegation,
    DelegationForm,
    Draft,
    InboundMessage,
    MessageId,
    Notice,
    NoticeKind,
    Platform,
    PostId,
    ToolRun,
    TurnId,
    well_formed,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
KEY = ConversationKey(Platform("web"), "general")
KIM = Author(id="kim", name="김민수")
RUN = ToolRun(id="1", tool="Bash", arguments="{}", started_at=NOW)
BEARERS: list[Callable[[str], str]] = [
    lambda text: ConversationKey(Platform("web"), text, text).thread,
    lambda text: Author(id="kim", name=text).name,
    lambda text: Attachment(name=text, media_type="text/plain", size=1, path=Path("a")).name,
    lambda text: InboundMessage(id=MessageId("m"), key=KEY, author=KIM, text=text, received_at=NOW).text,
    lambda text: Draft(turn_id=TurnId("t"), attempt=0, text=text).text,
    lambda text: replace(Draft(turn_id=TurnId("t"), attempt=0, text="x"), text=text).text,
    lambda text: replace(RUN, arguments=text).arguments,
    lambda text: replace(RUN, command=text).command,
    lambda text: replace(RUN, paths=("a", text)).paths[1],
    lambda text: replace(RUN, files=(text,)).files[0],
    lambda text: replace(RUN, output_tail=text).output_tail,
    lambda text: Notice(id=PostId("p"), key=KEY, notice=NoticeKind.FAILED, text=text).text,
    lambda text: Delegation(sender="a", recipient="b", task=text, form=DelegationForm.MENTION).task,
    lambda text: Claim(kind=ClaimKind.TESTS, text="x", start=0, end=1, subjects=(text,)).subjects[0],
]


@pytest.mark.parametrize("borne", BEARERS)
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("cut \ud83d here", "cut \ufffd here"),
        ("\ud83d\ude42", "🙂"),
        ("완료 \udc00", "완료 \ufffd"),
        ("nul \0", "nul \0"),
    ],
)
def test_a_value_holds_only_whole_characters(borne: Callable[[str], str], text: str, kept: str) -> None:
    assert borne(text) == kept


@given(st.text(st.characters(categories=["Cs", "L", "So"])))
def test_any_text_becomes_one_that_stays(text: str) -> None:
    kept = well_formed(text)
    assert kept.encode().decode() == kept
    assert well_formed(kept) == kept
