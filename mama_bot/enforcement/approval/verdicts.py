"""Whether a sentence approves, here and now, by its speaker."""

from mama_bot.enforcement.approval.english import has_closing_verdict, is_english_approval
from mama_bot.enforcement.approval.korean import is_korean_approval
from mama_bot.text.lexicon import Kind, Lexicon
from mama_bot.text.normalise import MASK
from mama_bot.text.patterns import compiled
from mama_bot.text.wording import is_foreign

LONGEST = 1500
ENGLISH = frozenset((Kind.APPROVAL, Kind.OPENING, Kind.CONTENTMENT, Kind.READINESS))
KOREAN = frozenset((Kind.VERDICT_NOUN, Kind.MERGE_NOUN, Kind.PERMIT_VERB))
BARE = (Kind.BARE_APPROVAL, Kind.BARE_RESULT, Kind.CONTENTMENT, Kind.NOTHING_WRONG, Kind.READINESS)
RESULT_WORDS = frozenset(("pass", "passed", "accept", "accepted", "ship", "통과", "👍", "✅"))
AROUND = "".join({*" \t\n*_`\"'.!~[]()", *"✅👍🎉🚀👌🟢✔☑"})
MARKS = tuple("-—–,.;:(!")
DASHES = tuple("-—–:")
QUOTED = compiled(
    r"\"[^\"\n]{1,200}\""
    r"|(?:^|[\s(])'[^'\n]{1,200}'"
    r"|「[^」\n]{1,200}」"
    r"|『[^』\n]{1,200}』"
    r"|«[^»\n]{1,200}»"
    r"|“[^”\n]{1,200}”"
)


def is_approval(
    text: str,
    lexicon: Lexicon,
    *,
    labelled: bool = False,
    alone: bool = False,
    whole: bool = False,
    silent: frozenset[Kind] = frozenset(),
) -> bool:
    """Return whether a sentence approves; a bare word such as `OK` does so `alone` or behind a label (`Verdict: OK`).

    Words of `silent` kinds approve nothing in the text that the sentence is from.
    """
    if is_foreign(text):
        return False
    spoken = outside_quotes(text[:LONGEST])
    cues = lexicon.approving.keys_in(spoken)
    if (labelled or alone) and is_bare(spoken, lexicon, labelled=labelled, whole=whole, silent=silent):
        return True
    if cues & ENGLISH and (
        is_english_approval(spoken, lexicon, labelled=labelled, silent=silent) or has_closing_verdict(spoken, lexicon)
    ):
        return True
    return bool(cues & KOREAN) and is_korean_approval(spoken, lexicon, cues, silent)


def is_bare(text: str, lexicon: Lexicon, *, labelled: bool, whole: bool, silent: frozenset[Kind]) -> bool:
    """Return whether a text is only a word such as `OK`, or begins with one that a mark sets apart (`LGTM, thanks`)."""
    core = text.strip(AROUND)
    if not core:
        return any(mark in text for mark in "✅👍")
    bare = (lexicon[kind].match(core) for kind in BARE if kind not in silent)
    match = next((match for match in bare if match is not None), None)
    if match is None or not (labelled or whole or match.group().lower() in RESULT_WORDS):
        return False
    rest = core[match.end() :]
    return not rest or (labelled and rest.lstrip()[:1] in MARKS) or (rest[:1].isspace() and rest.lstrip()[:1] in DASHES)


def outside_quotes(text: str) -> str:
    """Return a sentence with its quotations masked; a sentence that is one quotation, or two, is returned whole."""
    if not any(mark in text for mark in "\"'「『«“"):
        return text
    outside = QUOTED.sub(" " + MASK, text)
    return outside if sum(character.isalpha() or character == MASK for character in outside) > 2 else text
