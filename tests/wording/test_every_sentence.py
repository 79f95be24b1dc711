"""Every sentence of the package, in every language: the same placeholders, none empty."""

import pkgutil
import re
import string
from collections.abc import Iterator, Mapping
from importlib import import_module

import pytest

import mama_bot
from mama_bot.config import ResponseValidatorSettings
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.praise.stage import ResponseValidator
from mama_bot.errors import MamaBotError, QueueFull
from mama_bot.model import Block, Draft, ToolRecord
from mama_bot.review.review_prompts import review_prompt
from mama_bot.wording import Catalogue, Language, Said, english_name, language_of, language_of_locale, spoken_too
from mama_bot.wording.catalogues import shipped
from tests.store.making import message, turn

# What one language says and the other leaves out.
DIFFER = {
    "The queue of {scope} is full ({limit} messages wait). Send the message again when some are answered.": {"scope"},
    "This verdict was reported before: report {number} ({state}).": {"state"},
}
LATIN = Catalogue(
    language=Language("la"),
    name="Latin",
    writes=lambda text: "salve" in text.lower(),
    sentences={
        "The message is empty. Write what the team should do.": "Epistula vacua est. Scribe quid agendum sit.",
        "At most {most} files fit with one message.": "Non plus quam {most} adduntur.",
        "{share} of this reply is praise or filler.": "{share} huius responsi laus est.",
    },
)
# A particle that follows the last sound, where nobody knows it; a share is read "퍼센트", and a quotation takes "라고".
GUESSED = re.compile(r"\}[`'”’*]*(?:을|를|은|는|과|와|으로|로|이라는|라는)(?:[ ,.?!]|$)")
PERCENT = re.compile(r"\{share\}[가는]")
UNDECIDED = re.compile(r"은\(는\)|을\(를\)|이\(가\)|\(으\)로|과\(와\)|와\(과\)")
SALVE = message(text="Salve, magister")


def sentences() -> Iterator[tuple[str, Said]]:
    """Yield the sentences that stand in a module of the package, alone or in a collection."""
    for module in pkgutil.walk_packages(mama_bot.__path__, "mama_bot."):
        if not module.name.endswith("__main__"):
            for name, value in vars(import_module(module.name)).items():
                yield from ((f"{module.name}.{name}", sentence) for sentence in _within(value))


def _within(value: object) -> Iterator[Said]:
    if isinstance(value, Said):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _within(item)
    elif isinstance(value, tuple | list | frozenset):
        for item in value:
            yield from _within(item)


EVERY = dict(sentences())


def placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def test_there_are_sentences_to_look_at() -> None:
    assert len({sentence.en for sentence in EVERY.values()}) > 100


@pytest.mark.parametrize(
    "sentence", {sentence.en: sentence for sentence in EVERY.values()}.values(), ids=lambda it: it.en
)
def test_both_languages_say_the_same_with_the_same_values(sentence: Said) -> None:
    assert sentence.en.strip()
    assert sentence.ko.strip()
    missing = placeholders(sentence.en) ^ placeholders(sentence.ko)
    assert missing == DIFFER.get(sentence.en, set())


def test_no_korean_particle_after_a_value_is_fixed_or_left_to_the_reader() -> None:
    fixed = {
        sentence.ko
        for sentence in EVERY.values()
        if GUESSED.search(PERCENT.sub("", sentence.ko)) or UNDECIDED.search(sentence.ko)
    }
    assert fixed == set()


def test_no_declared_difference_is_stale() -> None:
    assert {sentence.en for sentence in EVERY.values()} >= DIFFER.keys()


@pytest.mark.parametrize("catalogue", [LATIN, *shipped()], ids=lambda it: it.language)
def test_a_further_language_translates_sentences_that_there_are_with_their_values(catalogue: Catalogue) -> None:
    assert {sentence.en for sentence in EVERY.values()} >= catalogue.sentences.keys()
    for english, sentence in catalogue.sentences.items():
        assert placeholders(sentence) <= placeholders(english)


def test_a_third_language_is_one_catalogue() -> None:
    known = next(sentence for sentence in EVERY.values() if sentence.en.startswith("At most {most} files"))
    with spoken_too(LATIN) as latin:
        assert [language.value for language in Language] == ["en", "ko", "la"]
        assert language_of("Salve, magister") is language_of_locale("la-VA") is Language("la") is latin
        assert known.of(most=3).to(latin) == "Non plus quam 3 adduntur."
        assert known.of(most=3).to(Language.KOREAN) == "메시지 하나에 파일은 3개까지입니다."
        assert QueueFull(scope="this conversation", limit=3).to(latin) == str(
            QueueFull(scope="this conversation", limit=3)
        )
    assert language_of("Salve, magister") is language_of_locale("la-VA") is Language.ENGLISH
    assert known.of(most=3).to(Language("la")) == "At most 3 files fit with one message."


async def test_a_stage_and_a_review_speak_a_third_language_where_it_is_written() -> None:
    praise = "Salve! Excellent, brilliant, outstanding work! Absolutely perfect!"
    draft = Draft(turn_id=turn(SALVE).id, attempt=0, text=praise)
    validator = ResponseValidator(settings=ResponseValidatorSettings())
    with spoken_too(LATIN) as latin:
        decision = await validator.judge(Case(draft=draft, turn=turn(SALVE)))
        assert english_name(latin) == "Latin"
        latin_message = message(text=SALVE.text)  # the language is read when a message is made
        assert "Answer in Latin." in review_prompt(latin_message, turn(SALVE), None, ToolRecord())
    assert isinstance(decision, Block)
    assert decision.banner == "100% huius responsi laus est."
    assert "Answer in the language of the person." in review_prompt(SALVE, turn(SALVE), None, ToolRecord())


def test_an_error_is_english_in_the_log_and_the_persons_language_when_it_is_told() -> None:
    error = QueueFull(scope="this conversation", limit=50)
    assert "(50 messages wait)" in str(error)
    assert "메시지 50개 대기" in error.to(Language.KOREAN)
    assert MamaBotError("only in English").to(Language.KOREAN) == "only in English"


def test_a_value_may_be_a_sentence_itself() -> None:
    reason = Said("It is larger than {size}.", "{size}보다 큽니다.").of(size="3 MB")
    line = Said("{name} was left out: {reason}", "{name:은/는} 제외했습니다: {reason}").of(name="그림", reason=reason)
    assert line.to(Language.KOREAN) == "그림은 제외했습니다: 3 MB보다 큽니다."
