"""What a clause forbids: the files that are the object of a negated verb of changing, or that it leaves alone."""

from collections.abc import Sequence
from dataclasses import dataclass

from mama_bot.text.patterns import compiled

# Names stand as marks while a clause is read, so that nothing in them is taken for a word of the sentence.
MARK = r"⟪\d+⟫"
MARKS = compiled(r"⟪(\d+)⟫")
NEGATION = (
    r"(?:do not|don't|does not|doesn't|never|must not|mustn't|should not|shouldn't|may not|cannot|can't|not to"
    r"|without|avoid|no need to|please don't|nor|not allowed to)"
)
CHANGE = (
    r"(?:chang(?:e|es|ing|ed)"
    r"|modify|modifies|modifying|modified"
    r"|touch(?:es|ing|ed)?"
    r"|edit(?:s|ing|ed)?"
    r"|alter(?:s|ing|ed)?"
    r"|updat(?:e|es|ing|ed)"
    r"|rewrit(?:e|es|ing|ten)"
    r"|refactor(?:s|ing|ed)?"
    r"|delet(?:e|es|ing|ed)"
    r"|remov(?:e|es|ing|ed)"
    r"|renam(?:e|es|ing|ed)"
    r"|mov(?:e|es|ing|ed)"
    r"|creat(?:e|es|ing|ed)"
    r"|add(?:s|ing|ed)?"
    r"|writ(?:e|es|ing|ten)(?: to| into)?"
    r"|overwrit(?:e|es|ing|ten)"
    r"|reformat(?:s|ting|ted)?"
    r"|replac(?:e|es|ing|ed)"
    r"|patch(?:es|ing|ed)?"
    r"|commit(?:s|ting|ted)? to"
    r"|mess with)"
)
CHANGES = compiled(CHANGE)
# What may stand between the verb and a name that is still its object.
BETWEEN = (
    r"(?:[\s,`'\"()/]"
    r"|\b(?:the|a|an|any|all|existing|new|old|file|files|directory|directories|folder|folders|module|modules"
    r"|package|packages|anything|everything|something|code|contents? of|in|under|inside|below|within|and|or"
    r"|nor|neither|either|also|of these|any of|either of|even)\b)"
)
OBJECTS = rf"((?:{BETWEEN}|{MARK})*{MARK})"
STAYS = r"(?:alone|untouched|unchanged|unmodified|as (?:it|they) (?:is|are)|as[- ]is|intact)"
# "the API of X must not be changed" speaks of the API.
OF_IT = r"(\b(?:of|in|from|by|for|with|to|via|using)\s+(?:the\s+)?)?"
ENGLISH = (
    compiled(rf"{NEGATION}\s+(?:\w+ly\s+|ever\s+|even\s+)?(?:{CHANGE}(?:\s+(?:or|and|nor)\s+|,\s*)?)+{OBJECTS}"),
    compiled(rf"\bno\s+(?:\w+\s+)?(?:changes?|edits?|modifications?)\s+(?:to|in|of|under)\b{OBJECTS}"),
    compiled(rf"\b(?:leave|keep|leaving|keeping)\b{OBJECTS}\s+(?:completely\s+|exactly\s+)?{STAYS}"),
)
PASSIVE = compiled(
    rf"{OF_IT}({MARK}(?:[\s,`'\"()]|\b(?:and|or|nor|files?|directory|folder|module|package)\b|{MARK})*)"
    r"(?:(?:must|should|shall|may|can|will|is|are)\s*(?:not|n't|never)\s+(?:to\s+)?(?:be\s+)?"
    rf"(?:{CHANGE}|{STAYS})"
    rf"|(?:cannot|can't|mustn't|shouldn't)\s+be\s+{CHANGE}"
    r"|(?:(?:must|should|shall|has to|have to|will|is to)\s+)?"
    rf"(?:stays?|remains?|be left|is left|are left|be kept)\s+{STAYS}"
    rf"|(?:is|are)\s+(?:off[- ]limits|read[- ]only|{STAYS})"
    rf"|[:-]*\s*(?:off[- ]limits|{STAYS}))"
)
KOREAN_JOINS = r"(?:[\s,`'\"()/·]|및|그리고|또는|혹은|와|과|이나|나|랑|하고)"
KOREAN_CHANGE = r"(?:수정|변경|편집|삭제|생성|추가|이동|교체|갱신|리팩터링|리팩토링|작성|커밋|터치)"
KOREAN_NOT = (
    rf"(?:{KOREAN_CHANGE}(?:은|는|을|를)?\s*(?:절대\s*)?"
    r"(?:하지\s*(?:마|말|않)"
    r"|하면\s*안|되지\s*않|해서는\s*안"
    r"|하지는\s*(?:마|말|않)"
    r"|하지\s*$|금지|불가|없이"
    r"|안\s*(?:함|됨|돼|된))"
    r"|(?:건드리|고치|바꾸|만들|지우|손\s*대|만지|옮기)(?:지\s*(?:마|말|않|는)|지\s*않|면\s*안|지\s*못|지\s*$)"
    r"|그대로\s*(?:두|둔|둘|유지|남)"
    r"|금지)"
)
KOREAN = compiled(
    rf"({MARK}(?:{KOREAN_JOINS}|{MARK})*)(?:은|는|을|를|도|만은|이|가|들은|들을|에는|에)?"
    r"(?:\s|`|\""
    r"|파일|폴더|디렉터리|디렉토리|모듈|패키지|아래|하위|안|내용|절대로?|직접|전혀|일절|들|은|는|을|를|도"
    rf"|의(?:\s*내용))*{KOREAN_NOT}"
)
# In MUST NOT DO the negation goes without saying.
PLAIN_ENGLISH = compiled(rf"\b{CHANGE}\b{OBJECTS}|\b(?:changes?|edits?|modifications?)\s+(?:to|in|of|under)\b{OBJECTS}")
PLAIN_KOREAN = compiled(
    rf"({MARK}(?:{KOREAN_JOINS}|{MARK})*)(?:은|는|을|를|도|들)?(?:\s|파일|폴더|디렉터리|디렉토리)*{KOREAN_CHANGE}"
)
BARE = compiled(rf"(?:[\s*•.,;:`'\"()\[\]-]|\d+[.)]|{BETWEEN}|{KOREAN_JOINS}|{MARK}|파일|폴더|아래|하위)+")
TOPIC = (
    r"(?:(?:the|any|all|our|other|existing|current|your|of|기존|모든|다른)\s*)*"
    r"(?:(?:unit|integration|regression|e2e|단위|통합|회귀)\s*)?"
    r"(?:tests?|documentation|docs|readme|changelog|change log|release notes"
    r"|테스트|문서|리드미"
    r"|변경\s*(?:기록|로그|이력))(?:\s*(?:files?|code|suite|directory|folder|파일|코드|폴더|들))*"
)
TOPICS = rf"{TOPIC}(?:\s*(?:,|and|or|nor|및|와|과|이나|나)\s*{TOPIC})*"
ALTER = r"(?:touch|change|modify|edit|alter|update|touching|changing|modifying|editing|altering)"
BULLET = r"[\s*•\[\]x-]*(?:\d+[.)])?\s*(?:please\s+|but\s+|and\s+)?"
LEFT_ALONE = compiled(
    rf"{BULLET}(?:{NEGATION}\s+{ALTER}(?:\s+or\s+{ALTER})?\s+{TOPICS}"
    rf"|no\s+(?:changes?|edits?|modifications?)\s+(?:to|in)\s+{TOPICS}"
    rf"|(?:leave|keep)\s+{TOPICS}\s+{STAYS}"
    rf"|{TOPICS}\s+(?:must|should|may|shall)\s*not\s+be\s+(?:touched|changed|modified|edited|altered)"
    rf"|{TOPICS}\s+(?:(?:must|should|shall|to)\s+)?(?:stay|stays|remain|remains)\s+{STAYS}"
    rf"|{TOPICS}(?:은|는|을|를|도|에는)?\s*(?:절대로?\s*|전혀\s*|일절\s*)?"
    r"(?:(?:수정|변경|편집)(?:은|을|를)?\s*(?:절대\s*)?(?:하지\s*(?:마|말|않)|하면\s*안|금지|불가)"
    r"|(?:건드리|고치|바꾸|손\s*대|만지)(?:지\s*(?:마|말|않)|면\s*안)"
    r"|그대로\s*(?:두|둔|둘|유지))[가-힣\s]*)[\s.!]*"
)
PLAIN_LEFT_ALONE = compiled(rf"{BULLET}(?:{ALTER}\s+{TOPICS}|{TOPICS}\s*(?:수정|변경|편집))[\s.!]*")


@dataclass(frozen=True, slots=True)
class Forbidden:
    """The names that a clause forbids, and whether all of it says to leave tests or documents alone."""

    names: tuple[str, ...]
    left_alone: bool


def forbidden_in(clause: str, names: Sequence[str], *, negative: bool = False) -> Forbidden:
    """Return which of the names in a clause it forbids; a clause of MUST NOT DO (`negative`) needs no negation."""
    listed = tuple(dict.fromkeys(names))
    marked = _marked(clause, listed)
    patterns = (*ENGLISH, PLAIN_ENGLISH, PLAIN_KOREAN, KOREAN) if negative else (*ENGLISH, KOREAN)
    objects = [match.group(0) for pattern in patterns for match in pattern.finditer(marked)]
    objects += [match.group(2) for match in PASSIVE.finditer(marked) if not match.group(1)]
    if negative and BARE.fullmatch(marked):
        objects.append(marked)
    numbers = sorted({int(match.group(1)) for text in objects for match in MARKS.finditer(text)})
    listed_alone = (LEFT_ALONE, PLAIN_LEFT_ALONE) if negative else (LEFT_ALONE,)
    alone = any(pattern.fullmatch(clause) for pattern in listed_alone)
    return Forbidden(tuple(listed[number] for number in numbers), alone)


def _marked(clause: str, names: Sequence[str]) -> str:
    """Return a clause with a mark for each name, the longest name first: it may hold another."""
    marked = clause.replace("\\", "/").replace("⟪", "(").replace("⟫", ")")
    for number in sorted(range(len(names)), key=lambda number: -len(names[number])):
        # Digits of a mark are never a name: names hold a letter.
        marked = marked.replace(names[number], f"⟪{number}⟫")
    return marked
