"""What is wrong about the expressions and the files that the stages are given, beyond the types of their values."""

from collections.abc import Iterable, Iterator

import re2

from mama_bot.config.check_problems import leaves
from mama_bot.config.document import KeyPath
from mama_bot.config.enforcement_settings import EnforcementSettings
from mama_bot.config.section import Section


def problems_of_enforcement(settings: EnforcementSettings) -> Iterator[tuple[KeyPath, str]]:
    """Yield each mistake with the key that it is about, as a sentence without that key."""
    claims = settings.claim_check
    sections: tuple[tuple[KeyPath, Section, tuple[str, ...]], ...] = (
        (("words",), settings.words, tuple(type(settings.words).model_fields)),
        (("response_validator",), settings.response_validator, ("praise", "whitelist")),
        (("review_gate",), settings.review_gate, ("whitelist",)),
        (("claim_check", "commands"), claims.commands, tuple(type(claims.commands).model_fields)),
    )
    for key, section, names in sections:
        for name in names:
            for number, problem in _problems_of_expressions(getattr(section, name)):
                yield ("enforcement", *key, name, number), problem
    for place, path in enumerate(claims.junit_xml):
        here = ("enforcement", "claim_check", "junit_xml", str(place))
        if not path.strip("./ "):
            yield here, f"{path!r} names no file. Name a file in the workspace, such as build/junit.xml."
        elif leaves(path):
            yield here, f"{path!r} leads out of the workspace. Name a file inside it."


def _problems_of_expressions(expressions: Iterable[str]) -> Iterator[tuple[str, str]]:
    for number, expression in enumerate(expressions):
        problem = problem_of_expression(expression)
        if problem:
            yield str(number), problem


def problem_of_expression(expression: str) -> str:
    """Return what is wrong with an RE2 expression, as a sentence; "" when nothing is."""
    options = re2.Options()
    options.log_errors = False
    # A space stands for any white space where the stages compile it, so that form has to be one as well.
    for form in (expression, expression.replace(" ?", r"\s*").replace(" ", r"\s+")):
        try:
            match = re2.compile(form, options).search("")
        except re2.error as error:
            reason = error.args[0] if error.args else "unknown"
            sentence = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
            return (
                f"{expression!r} is not an RE2 expression: {sentence}. "
                "Look-around and back references do not exist there."
            )
        except UnicodeEncodeError:
            return f"{expression!r} holds broken characters. Write it anew."
        if match is not None:
            return f"{expression!r} matches an empty text, and so everything. Say what it has to hold."
    return ""
