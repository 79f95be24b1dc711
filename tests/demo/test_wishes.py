"""What the script understands: suggestions, talk, and requests that it has no part for."""

from dataclasses import replace

import pytest

from mama_bot.demo.model_script import ModelRequest
from mama_bot.demo.sentences import CHECK_DELEGATION, DELEGATION, GREETING, LIE_DELEGATION, TESTS_DELEGATION
from mama_bot.demo.story import story
from mama_bot.demo.wishes import Wish, errand_of
from mama_bot.enforcement.delegations.requests import read_delegation
from mama_bot.model import ToolRecord, WorkDiff
from mama_bot.review.review_prompts import review_prompt
from mama_bot.turns.prompts import added_prompt, continuing_prompt, delegation_prompt
from mama_bot.wording import Language, Said
from tests.store.making import message, turn


def request(*user_texts: str) -> ModelRequest:
    return ModelRequest(
        system="", user_texts=user_texts, assistant_texts=(), tool_results=(), tools=(), model="", messages=()
    )


def at_work(*texts: str) -> ModelRequest:
    """A request of a turn that was told something: between two calls by the CLI, or when it was about to stop."""
    spoken = [text.removeprefix("Stop hook feedback:\n") for text in texts if not text.startswith("<")]
    told = [{"role": "user", "content": [{"type": "text", "text": text}]} for text in texts]
    return replace(request(*spoken), messages=tuple(told))


def delegated_words(sentence: Said, language: Language) -> str:
    """The delegation that the lead writes with a sentence, as its recipient reads it."""
    written = sentence.to(language, count=3)
    directive = written[written.index("DELEGATE::") :]
    return delegation_prompt(read_delegation(directive, sender="lead", recipient="developer"))


@pytest.mark.parametrize(
    ("words", "wish"),
    [
        ("Refactor these 3 files", Wish.REFACTOR),
        ("Refactor these 3 files: shop/prices.py, shop/cart.py, shop/report.py", Wish.REFACTOR),
        ("3개 파일을 리팩토링해 주세요", Wish.REFACTOR),
        ("Refactor src/auth.py", Wish.FILE),
        ("Refactor `shop/cart.py`: make it simpler to read", Wish.FILE),
        ("@developer Make coffee 10 cents cheaper, and lie about the tests", Wish.LIE),
        ("개발자가 거짓말하게 해 주세요", Wish.LIE),
        ("I believe the tests pass earlier", Wish.TESTS),
        ("@developer Run the tests", Wish.TESTS),
        ("테스트를 실행해 주세요", Wish.TESTS),
        ("Write a test for the cart and run it", Wish.BEYOND),
        ("@reviewer Review the last change. What did you verify?", Wish.REVIEW),
        ("@reviewer hello", Wish.GREETING),
        ("@reviewer Review src/auth.py", Wish.FILE),
        ("Which files are there?", Wish.FILES),
        ("어떤 파일이 있나요?", Wish.FILES),
        ("Create two files", Wish.BEYOND),
        ("shop/cart.py 보여줘", Wish.FILE),
        ("@developer 안녕하세요", Wish.GREETING),
        ("This is what I think", Wish.BEYOND),
        ("asdf qwer", Wish.BEYOND),
        ("👍", Wish.BEYOND),
    ],
)
def test_what_a_person_asks_for(words: str, wish: Wish) -> None:
    assert errand_of(request(f"Person writes:\n\n{words}")).wish is wish


def test_a_rejection_does_not_change_what_was_asked() -> None:
    errand = errand_of(request("Person writes:\n\nRun the tests", "[SENT BACK by claim_check] You wrote: 거짓"))
    assert (errand.wish, errand.language) == (Wish.TESTS, Language.ENGLISH)


def test_what_was_said_before_is_not_asked_again() -> None:
    context = "Said in this conversation before:\n<conversation>\n[person] Kim: 리팩토링해 주세요\n</conversation>\n\n"
    errand = errand_of(request(f"{context}Person writes:\n\nRun the tests"))
    assert (errand.wish, errand.language) == (Wish.TESTS, Language.ENGLISH)


def test_a_task_is_in_the_language_of_whoever_began() -> None:
    task = "lead delegates to you.\nTASK: Run the tests\n\nIt began with what Kim wrote:\n> 테스트를 돌려 주세요"
    errand = errand_of(request(task))
    assert (errand.wish, errand.language, errand.delegated) == (Wish.TESTS, Language.KOREAN, True)


@pytest.mark.parametrize(
    ("asked", "wish", "language", "delegated"),
    [
        (
            "Refactor these 3 files: shop/prices.py, shop/cart.py, shop/report.py",
            Wish.REFACTOR,
            Language.ENGLISH,
            False,
        ),
        ("@developer 테스트를 실행해 주세요", Wish.TESTS, Language.KOREAN, False),
        ("shop/cart.py 보여줘", Wish.FILE, Language.KOREAN, False),
        (delegated_words(DELEGATION, Language.ENGLISH), Wish.REFACTOR, Language.ENGLISH, True),
        (delegated_words(DELEGATION, Language.KOREAN), Wish.REFACTOR, Language.KOREAN, True),
        (delegated_words(LIE_DELEGATION, Language.ENGLISH), Wish.LIE, Language.ENGLISH, True),
        (delegated_words(TESTS_DELEGATION, Language.KOREAN), Wish.TESTS, Language.KOREAN, True),
        (delegated_words(CHECK_DELEGATION, Language.ENGLISH), Wish.REFACTOR, Language.ENGLISH, True),
    ],
)
def test_who_goes_on_goes_on_with_what_was_asked(
    asked: str, wish: Wish, language: Language, *, delegated: bool
) -> None:
    errand = errand_of(request(f"Kim writes:\n\n{continuing_prompt(asked)}"))
    assert (errand.wish, errand.language, errand.delegated) == (wish, language, delegated)
    assert errand.continued


def test_a_review_is_one_whatever_the_diff_names() -> None:
    asked = message(1, "3개 파일을 리팩토링해 주세요")
    diff = WorkDiff(text="--- a/shop/cart.py\n+++ b/shop/cart.py\n+run the tests\n", files=("shop/cart.py",), lines=1)
    errand = errand_of(request(review_prompt(asked, turn(asked), diff, ToolRecord(runs=()))))
    assert (errand.wish, errand.language, errand.paths, errand.delegated) == (Wish.REVIEW, Language.KOREAN, (), True)


@pytest.mark.parametrize("between_calls", [True, False])
@pytest.mark.parametrize(
    ("asked", "also", "words"),
    [
        ("hello", "Which files are there?", "please send it again"),
        ("안녕하세요", "어떤 파일이 있나요?", "다시 보내 주세요"),
    ],
)
def test_what_is_handed_over_at_work_is_named_in_the_reply_to_what_was_asked_first(
    asked: str, also: str, words: str, between_calls: bool
) -> None:
    told = added_prompt([replace(message(1), text=also)])
    heard = f"<system-reminder>\nPostToolUse hook additional context: {told}\n</system-reminder>"
    reply = story()(at_work(f"Kim writes:\n\n{asked}", heard if between_calls else f"Stop hook feedback:\n{told}"))
    assert f"“{also}”" in reply.text
    assert words in reply.text
    assert GREETING.template(Language.KOREAN if asked == "안녕하세요" else Language.ENGLISH)[:5] in reply.text
    later = story()(at_work("Kim writes:\n\nhello", told, f"Kim writes:\n\n{asked}"))
    assert words not in later.text
