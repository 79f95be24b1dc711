"""What an agent may ask a person."""

import pytest
from pydantic import ValidationError

from mama_bot.consent.ask_person import AskPersonArguments


@pytest.mark.parametrize("asked", [{"question": " \n\t"}, {"question": "Which?", "choices": ("yes", "　")}])
def test_a_question_or_a_choice_of_nothing_but_blanks_is_refused(asked: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="at least 1 character"):
        AskPersonArguments.model_validate(asked)
