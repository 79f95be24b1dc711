"""The grammar of English verdicts: clauses, what opens them, what stands before a word and after it."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from mama_bot.text.lexicon import Kind, Lexicon
from mama_bot.text.patterns import Match, compiled
from mama_bot.wording import has_hangul

MOST_MATCHES = 4
# Where a clause ends: an operator (not, please, if) works up to there.
CLAUSE = compiled(
    r"[,;:()]\s*"  # good, but
    r"|\s[-—–→]+\s"  # tests pass - approved
    r"|[—–]"  # passed—merge
    r"|[.!?]\s+"  # Tests pass. Merge
    r"|\s(?:but|however|so|hence|therefore|thus|though|although|because|since|whereas|which means)\b"  # fine but slow
    r"|\s(?:and|then)\s(?:i|we|it|this|they|you|so|therefore|i'm|it's|consider)\b"  # it passes and i approve
)
# What may stand before the word that approves, in any number.
FILLER = compiled(
    r"(?:[^0-9A-Za-z가-힣ㄱ-ㅎ]"
    r"|(?:so|ok|okay|yes|yep|yeah|yup|sure"
    r"|and|then|hence|therefore|thus"
    r"|overall|all in all|anyway|but|in short|in sum|to sum up|tl;?dr|net|bottom line"
    r"|from (?:me|my side|here)|for me"
    r"|great work|nice work|great job|nice|great|perfect|excellent|awesome|beautiful|brilliant"
    r"|thanks|thank you|well done|happily|gladly"
    r"|finally|that said|all told"
    r"|reviewed|review|code review|verdict|decision"
    r"|hi|hey|hello|right|alright|good"
    r"|it|this|this one|pr|mr|code|change|patch"
    r"|i'd say|i say|with that|as such|accordingly|consequently|in conclusion|conclusion"
    r"|#?\d+"
    r"|officially|hereby|fully|strong|big|a|an|emphatic|also|re-?"
    r"|definitely|absolutely|totally|clearly|now|final|formally)\b"
    r"|(?:네|예|넵|넹|응"
    r"|그럼|그래서|따라서|그러니|그러므로|결론|최종|최종적으로|결론적으로"
    r"|저는|저도|제 쪽은|일단|우선|그러면"
    r"|이번 건은?|이 PR은?|본 PR은?|해당 PR은?|이 건은?|전체|전부|모두"
    r"|종합하면|이상|판정)(?:\s|[,:]|$))*"
)
FOLLOWS = compiled(
    r"\s*(?:$"
    r"|[^\w\s가-힣]"
    r"|(?:from|on) (?:me|my|our|this|here|behalf|\d)"  # from me, on my side
    r"|on (?:(?:that|those|these)(?: (?:basis|grounds?|evidence|strength|alone))?\s*(?:$|[^\w\s])"
    r"|(?:good )?(?:faith|trust)\b"  # on good faith
    r"|the (?:strength|basis|grounds|back)\b)"  # on the strength
    r"|by me\b"
    r"|for (?:me|merg|mon|tues|wednes|thurs|fri|to|releas|prod|deploy|land|my|this|now|ship|the)"  # for merging
    r"|with\b"
    r"|as[ -]is\b"
    r"|without\b|and\b|now\b|this\b|it\b|these\b|both\b"
    r"|[pm]r\b"  # approve PR 12
    r"|[#!]\d"  # approved #12
    r"|too\b|again\b|here\b|overall\b|nonetheless\b|nevertheless\b|anyway\b|either way\b|gladly\b|happily\b"
    r"|immediately\b|based\b|because\b|since\b|given\b|despite\b|although\b|though\b|even\b"
    r"|to (?:merge|ship|land|go)\b"  # to merge
    r"|so\b|but\b"
    r"|in (?:full|its)\b"  # in full
    r"|regardless\b|modulo\b|unconditionally|in my\b|then\b"
    r"|[0-9a-f]{7,40}\b"  # 39e7c6a
    r"|except\b"
    r"|(?:for|at|in|on|as of)\s+\x{E000})"  # at `39e7c6a`: code is masked
)
FOLLOWS_OBJECT = compiled(r"\s+(?:the|your|this|that|pr|mr|both|all)\b")
STRICT = frozenset(("approve", "approved", "approving", "approval", "stamped", "greenlit"))
CONTENT_FOLLOWS = compiled(
    r"\s*(?:$"
    r"|[.!,;:—–)(👍✅-]"
    r"|to (?:me|go|merge|ship|us|this|merging|shipping|landing|it|releasing)\b"  # to me
    r"|overall\b|from\b|on my\b|now\b|and\b|here\b"
    r"|so (?:approv|merge|ship|go|i)\b"  # so approving
    r"|merge\b|approv"
    r"|after (?:a|all)\b"  # after all
    r"|(?:merge|ship)\b)"
)
SUPPOSED = compiled(
    r"(?:should|shall|can|could|may|might|would|do|does|did|must|will|am|are)\s*$"  # should I approve
    r"|\b(?:if|when|before|until|unless|once|whether|whenever|as soon as"  # once it is green I approve
    r"|says?|said|wrote|thinks?|asked|asks|wants?"
    r"|that|why|what|how|every|usually|normally|on \w+days)\b[^.]*$"
)
# Content with a change and sending it on: the one clause alone may be said of one's own work.
CONTENT = compiled(
    r"\W*(?:(?:ok|okay|yes|yeah|yep|all|so|and) )*(?:(?:i'm|i am|we're|we are) )?"  # so I'm
    r"(?:(?:now|very|quite|really|pretty|perfectly|all) )*"  # very
    r"(?:happy|good|fine|ok|okay|cool|content|satisfied|comfortable) with "  # happy with
    r"(?:it|this|that|these|this one|them|everything"  # it
    r"|(?:the|this|your) (?:pr|mr|change|changes|patch|diff|branch|fix|result|version))"  # the fix
    r"(?: now| as is| as it is)?\W*$"
)
SENT_ON = compiled(
    r"\s*(?:(?:so|and|please|just|let's|go ahead and|now|you can) )*(?:merge|ship|land)"
    r"(?: it| this| this one| away| the (?:pr|mr|branch|change))?(?: now| please)?\W*$"
)
CLOSING = compiled(r"\s(?:Approved|APPROVED|APPROVE|LGTM|Lgtm)[.!*_ ✅👍🚀🎉]*$", ignore_case=False)
AFTER_NAME = compiled(
    r"(?:[:=]"  # status: Approved
    r"|\b(?:an?|the|is|are|to|as|of|and|or|for|in|on|my|your|his|her|their|its|with|by|no"
    r"|[A-Z][a-z]+'s"  # Kim's Approved
    r"|button|status|state|label|until|were|be)"  # the button Approved
    r"|을|를|의)\s*$",
    ignore_case=False,
)
QUESTION_MARKS = ("?", "？")


class EnglishClause(NamedTuple):
    """A clause of a sentence: its words, and where they begin in the sentence."""

    text: str
    start: int


def is_english_approval(
    sentence: str, lexicon: Lexicon, *, labelled: bool, silent: frozenset[Kind] = frozenset()
) -> bool:
    """Return whether an English clause of a sentence approves and nothing beside it takes that back."""
    clauses = english_clauses(sentence)
    for index in range(len(clauses)):
        match = approving_match(clauses, index, lexicon, labelled=labelled and index == 0, silent=silent)
        if match is None or is_question(sentence, clauses, index):
            continue
        if not is_conditional(clauses, index, lexicon):
            return True
    return False


def has_closing_verdict(sentence: str, lexicon: Lexicon) -> bool:
    """Return whether a sentence ends in a capitalised verdict of its own: `tests pass LGTM`, `exit 0. Approved`."""
    match = CLOSING.search(sentence)
    if match is None:
        return False
    before = sentence[: match.start()]
    return not is_barred(before, lexicon) and not has_condition(before, lexicon) and AFTER_NAME.search(before) is None


def english_clauses(text: str) -> list[EnglishClause]:
    """Split a sentence into clauses; a joining word (`but`) begins the clause that it introduces."""
    clauses: list[EnglishClause] = []
    done = 0
    for match in CLAUSE.finditer(text):
        end = match.start()
        if (
            text[end : end + 1].isspace()
            and match.group().strip(" \t-—–→").isascii()
            and match.group().strip()[:1].isalpha()
        ):
            clauses.append(EnglishClause(text[done:end], done))
            done = end
        else:
            clauses.append(EnglishClause(text[done : match.start()], done))
            done = match.end()
    clauses.append(EnglishClause(text[done:], done))
    return [clause for clause in clauses if clause.text.strip()] or clauses


def approving_match(
    clauses: list[EnglishClause], index: int, lexicon: Lexicon, *, labelled: bool, silent: frozenset[Kind]
) -> Match | None:
    """Return the words of a clause that approve; None when it does not."""
    text = clauses[index].text
    opening = opening_match(clauses, index, lexicon, labelled=labelled, silent=silent)
    if opening is not None:
        return opening
    if index + 1 < len(clauses) and SENT_ON.match(clauses[index + 1].text) is not None:
        content = CONTENT.match(text)
        if content is not None:
            return content
    for match in spoken_matches((Kind.APPROVAL, Kind.READINESS), text, lexicon, silent):
        before, after = text[: match.start()], text[match.end() :]
        mine = match.group()[:2].lower() in ("i ", "i'", "we")
        if (
            (SUPPOSED.search(lexicon[Kind.ON_THAT].sub(" ", before)) is None)
            if mine
            else not is_barred(before, lexicon)
        ):
            if (
                is_withheld(after, lexicon)
                or lexicon[Kind.BY_OTHERS].match(after) is not None
                or is_redirected(after, lexicon)
            ):
                continue
            if lexicon[Kind.PAST].search(match.group()) and lexicon[Kind.ELSEWHERE].search(
                match.group() + " " + after + " " + before
            ):
                continue
            return match
    return None


def is_barred(before: str, lexicon: Lexicon) -> bool:
    """Return whether the words before an approval refuse it, ask for it, suppose it or make it another's."""
    if not before.strip():
        return False
    return lexicon[Kind.BARRIER].search(lexicon[Kind.NO_BARRIER].sub(" ", before)) is not None


def is_withheld(after: str, lexicon: Lexicon) -> bool:
    """Return whether Korean words right after an approval ask for it, refuse it or wait for it."""
    match = lexicon[Kind.WITHHELD].match(after.lstrip()[:40]) if after[:3].strip() else None
    return match is not None and match.end() > 0


def spoken_matches(kinds: Iterable[Kind], text: str, lexicon: Lexicon, silent: frozenset[Kind]) -> Iterator[Match]:
    """Yield where a text holds words of kinds that are not silent, the first few of each kind."""
    for kind in kinds:
        if kind not in silent:
            yield from islice(lexicon[kind].finditer(text), MOST_MATCHES)


def is_redirected(after: str, lexicon: Lexicon) -> bool:
    """Return whether the words after an approval put it off, or turn it into something else: `... this PR soon`."""
    match = lexicon[Kind.REDIRECTED].search(after[:REACH])
    return match is not None and len(after[: match.start()].split()) <= OBJECT


REACH = 40
OBJECT = 2  # the words of what is approved, between the approval and what puts it off


def opening_match(
    clauses: list[EnglishClause], index: int, lexicon: Lexicon, *, labelled: bool, silent: frozenset[Kind]
) -> Match | None:
    """Return the word with which a clause begins and by which it approves: `Approved from my side`; None without."""
    text = clauses[index].text
    filler = FILLER.match(text)
    begin = filler.end() if filler is not None else 0
    kind, match = opener(text[begin:], lexicon, silent)
    if match is None and begin:
        # The filler may have swallowed what opens, such as "good" of "good to merge".
        begin = len(text) - len(text.lstrip(" \t*_[(✅👍🎉🚀🟢✔☑️~`#-"))
        kind, match = opener(text[begin:], lexicon, silent)
    if match is None or (index and (is_listed(clauses, index) or text[begin] == "+")):
        return None
    rest = text[begin + match.end() :]
    word = match.group().lower()
    if (
        "가" <= rest[:1] <= "힣"
        or is_withheld(rest, lexicon)
        or (index and lexicon[Kind.LISTED].match(rest) is not None)
    ):
        return None
    if FOLLOWS.match(rest) is None and lexicon[Kind.THING].match(rest.lstrip()) is not None:
        return None
    if word in STRICT:
        allowed = (
            labelled
            or FOLLOWS.match(rest) is not None
            or (word == "approved" and has_hangul(rest[:2]))
            or (word != "approve" and FOLLOWS_OBJECT.match(rest) is not None)
        )
        if not allowed or lexicon[Kind.ELSEWHERE].search(rest):
            return None
    if kind is not Kind.OPENING and (CONTENT_FOLLOWS.match(rest) is None or is_reversed_after(clauses, index, lexicon)):
        return None
    return match


def opener(text: str, lexicon: Lexicon, silent: frozenset[Kind]) -> tuple[Kind, Match | None]:
    """Return the approving words at the beginning of a text, with their kind."""
    for kind in (Kind.OPENING, Kind.CONTENTMENT, Kind.READINESS):
        match = None if kind in silent else lexicon[kind].match(text)
        if match is not None:
            return kind, match
    return Kind.OPENING, None


def is_reversed_after(clauses: list[EnglishClause], index: int, lexicon: Lexicon) -> bool:
    """Return whether the next clause takes back what looked good: `looks good, but ...`."""
    return index + 1 < len(clauses) and lexicon[Kind.REVERSAL].match(clauses[index + 1].text) is not None


def is_listed(clauses: list[EnglishClause], index: int) -> bool:
    """Return whether a clause is an element of a list of short words: `requested, approved, expired`."""
    words = [len(part.text.split()) for part in clauses[max(0, index - 1) : index + 2]]
    following = clauses[index + 1].text.strip() if index + 1 < len(clauses) else ""
    previous = FILLER.match(clauses[index - 1].text)
    filler = previous is not None and previous.end() == len(clauses[index - 1].text)
    if filler or len(words) < 3 or not following:
        return False
    return words[0] <= 2 and words[2] <= 2


def is_question(sentence: str, clauses: list[EnglishClause], index: int) -> bool:
    """Return whether the clause is asked instead of stated."""
    if not sentence.rstrip("\"')*_ ").endswith(QUESTION_MARKS):
        return False
    return index == len(clauses) - 1 or len(clauses[-1].text.split()) < 4


def is_conditional(clauses: list[EnglishClause], index: int, lexicon: Lexicon) -> bool:
    """Return whether a clause depends on a condition, its own or a neighbour's: `approved once CI is green`."""
    if has_condition(clauses[index].text, lexicon) or (
        index and lexicon[Kind.REPORTED].match(clauses[index - 1].text) is not None
    ):
        return True
    for neighbour in (index + 1, index - 1):
        if 0 <= neighbour < len(clauses):
            if neighbour > index and lexicon[Kind.ONLY].match(clauses[neighbour].text) is not None:
                return True
            text = JOINED.sub("", clauses[neighbour].text.lstrip())
            text = lexicon[Kind.NO_CONDITION].sub(" ", text)
            if lexicon[Kind.CONDITION].match(text) is not None and not (
                neighbour < index and text.lower().startswith("after")
            ):
                return True
    return False


JOINED = compiled(r"^(?:but|and|only|though|however|although|so|yet|just|strictly)[ ,]+(?:only |just )?")


def has_condition(text: str, lexicon: Lexicon) -> bool:
    """Return whether a text holds a condition."""
    return lexicon[Kind.CONDITION].search(lexicon[Kind.NO_CONDITION].sub(" ", text)) is not None
