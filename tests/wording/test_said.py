"""Sentences of the service: both languages, their values, counted nouns and particles."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from mama_bot.wording import Language, Said, language_of

WITHHELD = Said(
    "{name}'s reply was withheld after {tries:attempt|attempts}: {reason}",
    "{name:이/가} {tries}번 시도한 답변을 보류했습니다. {reason}",
)


@pytest.mark.parametrize(
    ("language", "name", "tries", "sentence"),
    [
        (Language.ENGLISH, "Lead", 1, "Lead's reply was withheld after 1 attempt: late"),
        (Language.ENGLISH, "Lead", 3, "Lead's reply was withheld after 3 attempts: late"),
        (Language.ENGLISH, "Lead", 1200, "Lead's reply was withheld after 1,200 attempts: late"),
        (Language.KOREAN, "팀장", 3, "팀장이 3번 시도한 답변을 보류했습니다. late"),
        (Language.KOREAN, "개발자", 1, "개발자가 1번 시도한 답변을 보류했습니다. late"),
    ],
)
def test_a_sentence_is_said_in_the_language_asked_for(language: Language, name: str, tries: int, sentence: str) -> None:
    assert WITHHELD.to(language, name=name, tries=tries, reason="late") == sentence


def test_a_particle_follows_what_is_shown_as_code() -> None:
    meant = Said("Did you mean `{command}`?", "{command:`을/를} 찾으셨나요?")
    assert [meant.to(Language.KOREAN, command=command) for command in ("/상태", "/복원")] == [
        "`/상태`를 찾으셨나요?",
        "`/복원`을 찾으셨나요?",
    ]


@given(value=st.text())
def test_a_value_is_never_read_as_a_placeholder(value: str) -> None:
    assert Said("<{value}>", "<{value}>").to(Language.KOREAN, value=value) == f"<{value}>"


def test_a_placeholder_without_a_value_is_a_mistake() -> None:
    with pytest.raises(KeyError, match="name"):
        WITHHELD.to(Language.ENGLISH, tries=1, reason="late")


def test_a_language_may_leave_out_what_another_says() -> None:
    assert Said("{who} stopped it.", "중지했습니다.").to(Language.KOREAN, who="Kim") == "중지했습니다."


@given(text=st.text(alphabet=string.ascii_letters + " 가나다라", min_size=1))
def test_a_text_has_one_language(text: str) -> None:
    assert language_of(text) in set(Language)


def test_a_stored_language_comes_back_as_the_same_value() -> None:
    stored = TypeAdapter(Language)
    assert [stored.validate_json(stored.dump_json(language)) is language for language in Language] == [True, True]
    assert stored.validate_json('"fr"') == "fr"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("shop/prices.py, shop/cart.py, shop/report.py의 반올림을 한 모듈로 리팩토링해 주세요", Language.KOREAN),
        ("`shop/prices.py`를 고쳐 주세요", Language.KOREAN),
        ("money.py 고쳐줘", Language.KOREAN),
        ("Please translate `안녕하세요` in shop/words.py", Language.ENGLISH),
        ("shop/words.py says 안녕 where hello is expected", Language.ENGLISH),
    ],
)
def test_names_of_files_and_code_are_no_language(text: str, language: Language) -> None:
    assert language_of(text) is language
