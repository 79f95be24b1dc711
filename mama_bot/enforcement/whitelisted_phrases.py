"""Turn a phrase that a stage objected to into the whitelist entry that lets it pass."""

from itertools import groupby

from mama_bot.enforcement.stage_lexicon import lexicon
from mama_bot.text.lexicon import Kind, Words
from mama_bot.text.normalise import normalise
from mama_bot.text.patterns import compiled

SPECIAL = frozenset(r"\.+*?()|[]{}^$")
WHITE = " \t\n\f\r"  # what \s is to RE2
EMPHASIS = "*"
ENDING = WHITE + EMPHASIS + ".!?~…。,;:\"'"
CODE = compiled(r"`[^`\n]+`")
ANY_CODE = r"(?:`[^`]+`|\S+)"  # some stages see code as one word without spaces
LONGEST_LINE = 2_000
LEAST_LETTERS = 3
LEAST_SYLLABLES = 2  # Hangul, and any other script: one says as much as two Latin letters
APPROVING = (
    Kind.APPROVAL,
    Kind.LABEL,
    Kind.OPENING,
    Kind.BARE_APPROVAL,
    Kind.VERDICT_NOUN,
    Kind.MERGE_NOUN,
    Kind.PERMIT_VERB,
)
LEAST_OTHER_WORDS = 3
OTHER_WORD = compiled(r"[\pL\pN]+")
# What approvals are made of beside the approving words themselves.
CARRYING = compiled(
    r"a|an|and|as|at|by|for|from|go|good|i|in|is|it|its|looks|me|mr|my|now|of|on|our|please|pr|so|that|the"
    r"|these|this|to|us|we|with|you|your|changes?|code|true|false|ok"
    r"|본|제"
    r"|저[는도]"  # 저는
    r"|이번|해당|그대로|이대로|완료|처리"
    r"|(?:변경|변경사항|코드|작업)?[을를은는이가도]?"  # 코드를
    r"|(?:[하했됐]|하겠|되었|드리|드립)?(?:합니다|습니다|됩니다|니다|해요|했어요|드려요)"  # 하겠습니다
    r"|[함됨]"
    r"|입니다|이에요|예요|하셔도|해도|하세요|하시면|하면|좋습니다"
)


def whitelist_entry(phrase: str) -> str:
    """Return the phrase as an RE2 expression: taken literally, without what ends a sentence; "" if it says too little.

    Any white space and any code match any other, and emphasis may be there or not. The entry of a phrase that says too
    little would let anything pass.
    """
    plain = normalise(phrase).text
    bare = plain.strip(ENDING) or plain.strip(WHITE)
    prose = CODE.sub("", bare)
    if not prose.strip(WHITE + EMPHASIS) or (prose != bare and not any(letter.isalnum() for letter in prose)):
        return ""
    pieces: list[str] = []
    done = 0
    for match in CODE.finditer(bare):
        pieces += (_literal(bare[done : match.start()]), ANY_CODE)
        done = match.end()
    pieces.append(_literal(bare[done:]))
    return "".join(pieces)


def wordings(text: str, span: tuple[int, int], words: Words = ()) -> tuple[str, ...]:
    """Return what an entry of the review gate must match as a whole: the sentence or its line, bare or as it stands.

    A sentence that is nothing but an approval counts only as its whole line: what stands beside it was never accepted.
    """
    start, end = span
    line_end = text.find("\n", end)
    line = text[text.rfind("\n", 0, start) + 1 : len(text) if line_end < 0 else line_end]
    passages = [line] if len(line) <= LONGEST_LINE else []
    if not is_nothing_but_approval(text[start:end], words):
        passages.append(text[start:end])
    forms = (form for passage in passages for form in (passage.strip(ENDING), passage.strip(WHITE)))
    return tuple(dict.fromkeys(forms))


def says_too_little(phrase: str) -> bool:
    """Return whether a phrase has too few letters to mean something: its entry would match everywhere."""
    letters = [letter for letter in normalise(phrase).text if letter.isalpha()]
    foreign = sum(not letter.isascii() for letter in letters)
    return foreign < LEAST_SYLLABLES and len(letters) < LEAST_LETTERS


def is_nothing_but_approval(phrase: str, words: Words = ()) -> bool:
    """Return whether a phrase approves and says nothing else: its entry would let every such approval pass."""
    rest = normalise(phrase).text
    known = lexicon(words)
    for kind in APPROVING:
        rest = known[kind].sub(" ", rest)
    others = [word for word in OTHER_WORD.findall(rest.lower()) if CARRYING.fullmatch(word) is None]
    return len(others) < LEAST_OTHER_WORDS


def _literal(text: str) -> str:
    return "".join(_escaped(kind, "".join(letters)) for kind, letters in groupby(text, key=_kind))


def _kind(letter: str) -> str:
    return letter if letter == EMPHASIS else " " if letter in WHITE else ""


def _escaped(kind: str, letters: str) -> str:
    if kind == EMPHASIS:
        return r"\**"
    return r"\s+" if kind else "".join(f"\\{letter}" if letter in SPECIAL else letter for letter in letters)
