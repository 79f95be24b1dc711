"""Secrets are gone from a text whoever issued them and however they are written; ordinary words stay."""

import base64
import html
import json
import re
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.redaction import REDACTED, redactor
from mama_bot.redaction.issuers import BREAK, IssuerShape, issuers

OURS = "xq7-Tz+0/kept&service=value"
REST = 20  # of an example: "postgres://" and "@host" are no secret


@pytest.mark.parametrize("shape", issuers(), ids=lambda shape: shape.issuer)
@pytest.mark.parametrize("around", ["{}", "> {}", "`{}`", "비밀: {} 입니다", "a {}\nb", '{{"said": "{}"}}'])
def test_the_example_of_each_issuer_is_gone(shape: IssuerShape, around: str) -> None:
    assert BREAK not in shape.example
    assert re.search(shape.expression, shape.example)
    text = around.format(shape.example)
    shown = redactor()(text)
    assert REDACTED in shown
    assert len(shown.replace(REDACTED, "")) <= len(around) + REST
    assert redactor()(shown) == shown


@pytest.mark.parametrize("shape", issuers(), ids=lambda shape: shape.issuer)
def test_half_a_character_hides_no_example(shape: IssuerShape) -> None:
    assert REDACTED in redactor()(f"\ud800 {shape.example}")


@pytest.mark.parametrize(
    "text",
    [
        "commit 132ad6e0123456789abcdef0123456789abcdef0 of branch key-value",
        "id 01234567-89ab-cdef-0123-456789abcdef",
        "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "Use basic authentication, or a basic internationalization of the page.",
        "npm_config_registry, hf_hub_download, pypi-server and SG.x are names",
        "-----BEGIN CERTIFICATE-----\nMIIEabc\n-----END CERTIFICATE-----",
        "the whsec_ prefix, ya29. and glpat- are prefixes",
        "discord.com/api/webhooks is where they are",
        "한국어로 된 문장에는 비밀이 없습니다",
        "hugging_face_hub.snapshot_download and sk_learn_pipeline_that_is_long",
    ],
)
def test_words_that_only_look_like_it_stay(text: str) -> None:
    assert redactor([OURS])(text) == text


def escaped(value: str, form: str) -> str:
    return "".join(form.format(ord(character), character) for character in value)


WRITINGS: dict[str, Callable[[str], str]] = {
    "itself": str,
    "base64": lambda value: base64.b64encode(value.encode()).decode(),
    "base64 of a pair": lambda value: base64.b64encode(f"user:{value}".encode()).decode(),
    "base64 in the middle": lambda value: base64.b64encode(f"a={value}\nb=1".encode()).decode(),
    "base64 for addresses": lambda value: base64.urlsafe_b64encode(f"x{value}".encode()).decode(),
    "base64 without padding": lambda value: base64.b64encode(value.encode()).decode().rstrip("="),
    "hex": lambda value: value.encode().hex(),
    "large hex": lambda value: value.encode().hex().upper(),
    "percent": lambda value: quote(value, safe=""),
    "percent everywhere": lambda value: escaped(value, "%{0:02x}"),
    "HTML": html.escape,
    "HTML decimal": lambda value: escaped(value, "&#{0};"),
    "HTML hexadecimal": lambda value: escaped(value, "&#x{0:X};"),
    "Markdown": lambda value: re.sub(r"([^A-Za-z0-9])", r"\\\1", value),
    "JSON": lambda value: json.dumps(value)[1:-1],
    "JSON everywhere": lambda value: escaped(value, "\\u{0:04x}"),
    "Python": lambda value: escaped(value, "\\x{0:02x}"),
    "reversed": lambda value: value[::-1],
    "broken over lines": lambda value: f"{value[:5]}\n  {value[5:]}",
    "with marks": lambda value: f"{value[:5]}**{value[5:]}**",
    "with nothing between": "\u200b".join,
}
VALUES = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=12, max_size=60)


@pytest.mark.parametrize("writing", WRITINGS)
def test_a_value_of_our_own_is_gone_however_it_is_written(writing: str) -> None:
    written = WRITINGS[writing](OURS)
    shown = redactor([OURS])(f"It is {written} here.")
    assert REDACTED in shown
    left = shown.removeprefix("It is ").removesuffix(" here.").replace(REDACTED, "")
    assert len(left) <= len(written) / 2
    assert redactor([OURS])(shown) == shown


@given(VALUES, st.sampled_from(sorted(WRITINGS)))
def test_that_holds_for_any_value(value: str, writing: str) -> None:
    assert REDACTED in redactor([value])(f"( {WRITINGS[writing](value)} )")


@given(st.text(max_size=200))
def test_what_was_redacted_is_left_as_it_is(text: str) -> None:
    redact = redactor([OURS])
    assert redact(redact(text)) == redact(text)


def test_a_short_value_is_looked_for_as_it_is_alone() -> None:
    assert redactor(["hunter2"])("hunter2, h u n t e r 2, 2retnuh") == f"{REDACTED}, h u n t e r 2, 2retnuh"
