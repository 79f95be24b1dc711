"""Whether a sentence approves, here and now, by its speaker: the grammar of English and Korean verdicts."""

from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from mama_bot.enforcement.language.normalise import MASK
from mama_bot.enforcement.language.patterns import Match, Pattern, compiled
from mama_bot.enforcement.language.words import Kind, Lexicon

LONGEST = 1500
MOST_MATCHES = 4
ENGLISH = frozenset((Kind.APPROVAL, Kind.OPENING))
KOREAN = frozenset((Kind.VERDICT_NOUN, Kind.MERGE_NOUN, Kind.PERMIT_VERB))
RESULT_WORDS = frozenset(("pass", "passed", "accept", "accepted", "통과", "👍", "✅"))
MARKS = tuple("-—–,.;:(!")
DASHES = tuple("-—–:")

QUOTED = compiled(
    r"\"[^\"\n]{1,200}\"|(?:^|[\s(])'[^'\n]{1,200}'|「[^」\n]{1,200}」|『[^』\n]{1,200}』|«[^»\n]{1,200}»|“[^”\n]{1,200}”"
)
# Where a clause ends: an operator (not, please, if) works up to there.
CLAUSE = compiled(
    r"[,;:()]\s*|\s[-—–→]+\s|[—–]|[.!?]\s+"
    r"|\s(?:but|however|so|hence|therefore|thus|though|although|because|since|whereas|which means)\b"
    r"|\s(?:and|then)\s(?:i|we|it|this|you|so|therefore|i'm|it's)\b"
)
FILLER = compiled(
    r"(?:[^0-9A-Za-z가-힣ㄱ-ㅎ]|(?:so|ok|okay|yes|yep|yeah|yup|sure|and|then|hence|therefore|thus|overall|all in all|anyway|but|"
    r"in short|in sum|to sum up|tl;?dr|net|bottom line|from (?:me|my side|here)|for me|great work|nice work|great job|nice|great|"
    r"perfect|excellent|awesome|beautiful|brilliant|thanks|thank you|well done|happily|gladly|finally|that said|all told|"
    r"reviewed|review|code review|verdict|decision|hi|hey|hello|right|alright|good|it|this|this one|pr|mr|code|change|patch|"
    r"i'd say|i say|with that|as such|accordingly|consequently|in conclusion|conclusion|#?\d+|officially|hereby|fully|strong|big|"
    r"a|an|emphatic|also|re-?|definitely|absolutely|totally|clearly|now|final|formally)\b"
    r"|(?:네|예|넵|넹|응|그럼|그래서|따라서|그러니|그러므로|결론|최종|최종적으로|결론적으로|저는|저도|제 쪽은|일단|우선|그러면|이번 건은?|"
    r"이 PR은?|본 PR은?|해당 PR은?|이 건은?|전체|전부|모두|종합하면|이상|판정)(?:\s|[,:]|$))*"
)
FOLLOWS = compiled(
    r"\s*(?:$|[^\w\s가-힣]|(?:from|on) (?:me|my|our|this|here|behalf|\d)|by me\b|for (?:me|merg|releas|prod|deploy|land|my|this|now|"
    r"ship|the)|with\b|as[ -]is\b|without\b|and\b|now\b|this\b|it\b|these\b|both\b|[pm]r\b|[#!]\d|too\b|again\b|here\b|"
    r"overall\b|nonetheless\b|nevertheless\b|anyway\b|either way\b|gladly\b|happily\b|immediately\b|based\b|because\b|since\b|"
    r"given\b|despite\b|although\b|though\b|even\b|to (?:merge|ship|land|go)\b|so\b|but\b|in (?:full|its)\b|regardless\b|"
    r"modulo\b|unconditionally|in my\b|then\b|[0-9a-f]{7,40}\b|except\b|(?:for|at|in|on|as of)\s+\x{E000})"
)
FOLLOWS_OBJECT = compiled(r"\s+(?:the|your|this|that|pr|mr|both|all)\b")
STRICT = frozenset(("approve", "approved", "approving", "approval", "stamped", "greenlit"))
LOOKS = compiled(r"(?:looks|look|all|no|zero|이상|문제|좋|굿|오케이|ready|can)\b|(?:이상|문제|좋|굿|오케이)")
LOOKS_FOLLOWS = compiled(
    r"\s*(?:$|[.!,;:—–)(👍✅-]|to (?:me|go|merge|ship|us)\b|overall\b|from\b|on my\b|now\b|and\b|here\b|so (?:approv|merge|ship|go|i)\b|merge\b|approv|after (?:a|all)\b|(?:merge|ship)\b)"
)
REVERSAL = compiled(r"\s*(?:but|except|however|though|although|just|only|not|so far)\b")
PAST = compiled(r"(?:approved|signed off|accepted|stamped|passed)|(?:했|됐|되었|하였|드렸|시켰|눌렀|찍었|남겼)")
SUPPOSED = compiled(
    r"(?:should|shall|can|could|may|might|would|do|does|did|must|will|am|are)\s*$|\b(?:if|when|before|until|unless|once|whether|whenever|as soon as|says?|said|wrote|thinks?|asked|asks|wants?|that|why|what|how)\b[^.]*$"
)
CLOSING = compiled(r"\s(?:Approved|APPROVED|APPROVE|LGTM|Lgtm)[.!*_ ✅👍🚀🎉]*$", ignore_case=False)
AFTER_NAME = compiled(
    r"(?:[:=]|\b(?:an?|the|is|are|to|as|of|and|or|for|in|on|my|your|his|her|their|its|with|by|no|[A-Z][a-z]+'s|button|status|state|label|until|were|be)|을|를|의)\s*$",
    ignore_case=False,
)
LISTED = compiled(r"\s+(?:and|or)\s+[\w-]+[.!]?\s*$")
REPORTED = compiled(r"\s*(?:according to|as per|per \w+|as \w+ (?:said|says|put it))")
BY_OTHERS = compiled(r"\s+(?:\w+\s+){0,2}by\s+(?:[^mu]|m[^ey]|u[^s])")
QUESTION_MARKS = ("?", "？")

# Korean: the endings by which a speaker performs what the verb says.
PERFORMED = (
    r"(?:처리\s?)?(?:합니다|하겠습니다|할게요?|할께요?|할래요|해요|하죠|하지요|했습니다|했어요|했음|했다|했네요|한다|함|하겠음|하겠어요|하였습니다|"
    r"하는 (?:걸로|것으로) (?:하겠습니다|할게요|합니다|하죠)|하기로 (?:하겠습니다|했습니다|함|할게요|합니다)|할 만합니다|할 만하네요|"
    r"해\s?(?:둡니다|둘게요?|두겠습니다|드립니다|드릴게요|드리겠습니다|드려요|놓겠습니다|놓을게요|버리겠습니다|버릴게요)|하고 (?:넘깁니다|넘길게요|넘기겠습니다|마칩니다|"
    r"마무리합니다|갑니다|가겠습니다|가시죠|갈게요)|합시다|하시죠|하자)"
    r"|드립니다|드려요|드릴게요?|드릴께요?|드리겠습니다|드렸습니다|드림|드리죠"
    r"|(?:시킵니다|시켜요|시킬게요?|시키겠습니다|시켰습니다|시킴|시키죠|시켜\s?(?:드릴게요|드립니다|두겠습니다|둡니다))"
    r"|(?:입니다|이에요|예요|이요|요|임|이다|이네요|이죠|인 것으로 합니다)"
    r"|(?:완료|처리)(?:합니다|했습니다|했어요|입니다|함|됨|할게요|하겠습니다|(?:\s*(?:$|[.!~,;)✅])))|의견(?:입니다| ?드립니다| ?냅니다| ?남깁니다)"
    r"|(?:누릅니다|눌렀습니다|누를게요|누르겠습니다|눌렀어요|남깁니다|남겨요|남길게요|남기겠습니다|찍습니다|찍을게요|찍었습니다|찍고 갑니다|줍니다|줄게요?|"
    r"주겠습니다|내립니다|보냅니다|도장 ?찍(?:습니다|을게요|었습니다)|쪽입니다|ㄱㄱ|갑니다|가겠습니다|박습니다|박을게요)"
)
CONNECTED = r"(?:하고|하며|하되|하지만|합니다만|하니|했으니|하면서|드리고|드리며|드리니|시키고|이고|이며|이지만|이니|입니다만|드립니다만|하겠지만|하겠으니|할 테니|할테니)"
PERMITTED = (
    r"(?:됩니다|돼요|되겠습니다|되겠네요|되겠어요|되겠다|될 (?:것|거) 같(?:습니다|아요|네요|음)|될 ?듯(?:합니다|해요|요|함)?|된다|됨|돼|되죠|되네요|될 것으로 (?:판단|봅)\S*|"
    r"좋(?:습니다|아요|네요|음|다|겠(?:습니다|어요|네요|다|음)|을 (?:것|거|듯)\s?(?:같)?(?:습니다|아요|네요|음|합니다|해요)?)|괜찮(?:습니다|아요|네요|음|다|겠(?:습니다|어요|네요)|을 (?:것|거|듯)\s?(?:같)?(?:습니다|아요|네요|음|합니다|해요)?)|무방합니다|무방함|무방|"
    r"상관 ?없습니다|문제 ?없습니다|문제 ?없(?:어요|음|겠습니다|을 것 같습니다)|오케이|ok|ㅇㅋ|이상 ?없습니다)"
)
END = r"(?:$|[^가-힣])"
BEFORE_BARE = compiled(
    r"(?:^|[은는도로서니까고며데음함임됨,.!:;)—–=>*|✅👍🎉~-]|정상|최종|무조건|전부|모두|즉시|그냥|전원|ㅇㅇ|ㅇㅋ|ㄱㄱ|네|넵|예|응|어|오케이|굿|통과|없어|없이|에|이상|당연히|고로|흔쾌히|기꺼이|두말없이|일단|저|다)"
    r"\s*[\[(*_`'\"]*$"
)
CONDITION_KOREAN = compiled(
    r"(?:[하되으이시나오가지주내라치키리기추보서끄뜨떠다자니]|난|온|된다|한다|는다)면(?:야|은)?[\s,]|(?:는|은|[한된난른친온운준린본낸]|ㄴ) ?대로[\s,]|"
    r"[해여돼어아와가나서봐줘져쳐려켜내떠써커펴러야]야[\s,]|전제로|조건으로|조건부|때까지|전까지|전에는|경우|(?:는|은|을|를|한|된|될|할|날|올) ?때(?:만|에만|에)?[\s,]|"
    r"(?:확인|검토|반영|수정|완료|통과|테스트|머지|배포|해결|보완|추가|종료|적용|조치) ?시(?:에|에만)?[\s,]|\bif\b|\bonce\b|\bafter\b|\bwhen\b|되는 즉시|하는 즉시|나는 즉시"
)
NO_CONDITION_KOREAN = compiled(
    r"(?:이|그|저) ?정도(?:라)?면|그러면|그렇다면|그럼|아니면|요약하(?:자)?면|비교하면|비하면|말하(?:자)?면|보(?:자)?면|따지(?:자)?면|하자면|꼽자면|[측화표반장전단국양]면|"
    r"문제될|이런 경우|그 ?경우|라면 (?:더|충분)|면 충분|이만하면|될 때까지 (?:돌|반복)|봐야|어야 할 (?:것|부분)|해야 (?:할|하는|했|하던)"
)
AFTER_KOREAN = compiled(
    r"(?:[은한된난른친온운준린본낸킨긴진] ?(?:뒤|후|다음|이후)(?:에|에만)?|(?:확인|검토|반영|수정|완료|통과|테스트|머지|배포|해결|보완|추가|종료|적용|조치|회의|스탠드업) ?(?:후|뒤|이후)(?:에)?|고 나서|고 난 (?:뒤|후))[\s,]"
)
OWN_CHECK = compiled(
    r"(?:확인|검토|읽|돌려|돌린|실행|테스트|본|재현|비교|살펴|점검|검증|리뷰)[가-힣 ]{0,5}(?:뒤|후|다음|이후|나서|난)"
)
CLAUSE_KOREAN = compiled(
    r"(?:므로|니까?|라서|어서|아서|해서|여서|지만|는데|은데|인데|했고|였고|됐고|왔고|없고|있고|이고|같고|기에|길래|때문에|셔서|으며|이며|하며)[\s,]|[.;]\s"
)
FUTURE = compiled(r"겠|할게|할께|릴게|를게|길게|을게|예정|릴께|줄게|시킬")
LATER = compiled(
    r"내일|나중에|이따|추후|조만간|다음 ?주|오후에|저녁에|[월화수목금토일]요일에|주말에|차후|차주|모레|\btomorrow\b|\blater\b|\bnext week\b"
)
OTHERS = compiled(
    r"(?:님|팀|씨|장|대리|사원|이사|선임|책임|수석|주임|감독|위원|조직|부서|파트|센터|모듈|함수|매니저|리드|봇|담당자|고객|사용자|관리자|시스템|서버|리뷰어|누군가|팀원|대표|보안|운영자|상대|본인|작성자|개발자|PM|CTO|QA|DBA|lead|reviewer|bot|owner|CI)"
    r" ?(?:이|가|께서|께서도|에서|분이|분께서|이서|만|들이|측에서)\s"
)
NO_PERSON = ("없이", "같이", "많이", "굳이", "깊이", "높이", "것이", "건이", "제가", "내가", "우리가", "저희가", "일이")
PERSON = compiled(r"(?:^|\s)(?:[^\s제내][^\s]*|[제내][^\s]+)(?:이|가|께서)\s(?:이미 |먼저 |직접 |방금 |좀 )?$")
ASIDE = compiled(
    r"\s*[(,.]?\s*(?:단,|다만 [^.]{0,40}(?:조건|전제|한해)|조건부|[^.]{0,40}(?:조건으로|전제로|조건 ?하에|한해서?)\b)"
)
RESULT = compiled(
    r"(?:테스트|빌드|CI|린트|파이프라인|검사|체크|케이스|[0-9]+개|[0-9]+건|전체|스위트|시나리오|pytest|jest|tests?|build|lint|게이트|잡|스펙|전 ?항목|모두|전부|타입)\S*"
)


class Spoken(NamedTuple):
    """A clause of a sentence: its words and where they lie in it."""

    text: str
    start: int


def asserts(text: str, lexicon: Lexicon, *, labelled: bool = False, alone: bool = False, whole: bool = False) -> bool:
    """Whether a sentence asserts an approval; behind a label ("Verdict:") or alone a bare word such as OK does."""
    said = without_quotes(text[:LONGEST])
    cues = lexicon.cues.found(said)
    if (labelled or alone) and is_bare(said, lexicon, labelled=labelled, whole=whole):
        return True
    if cues & ENGLISH and (in_english(said, lexicon, labelled=labelled) or closes(said, lexicon)):
        return True
    return bool(cues & KOREAN) and in_korean(said, lexicon, cues)


def closes(said: str, lexicon: Lexicon) -> bool:
    """Whether a sentence ends in a verdict word of its own, written large ("tests pass LGTM", "exit 0. Approved")."""
    match = CLOSING.search(said)
    if match is None:
        return False
    before = said[: match.start()]
    return not barred(before, lexicon) and not has_condition(before, lexicon) and AFTER_NAME.search(before) is None


def is_bare(text: str, lexicon: Lexicon, *, labelled: bool, whole: bool) -> bool:
    """Whether a text is only a word such as OK or PASS, or begins with one that a mark sets apart."""
    core = text.strip(" \t\n*_`\"'.!~[]()✅👍🎉🚀👌🟢✔️☑️")
    if not core:
        return any(mark in text for mark in "✅👍")
    match = lexicon[Kind.BARE_APPROVAL].match(core)
    if match is None or not (labelled or whole or match.group().lower() in RESULT_WORDS):
        return False
    rest = core[match.end() :]
    return not rest or (labelled and rest.lstrip()[:1] in MARKS) or (rest[:1].isspace() and rest.lstrip()[:1] in DASHES)


def without_quotes(text: str) -> str:
    """A sentence with what it quotes masked, unless the quotation is all there is."""
    if not any(mark in text for mark in "\"'「『«“"):
        return text
    outside = QUOTED.sub(" " + MASK, text)
    return outside if sum(character.isalpha() for character in outside) > 2 else text


def clauses(text: str) -> list[Spoken]:
    """The clauses of a sentence; the word that joins a clause belongs to it."""
    found: list[Spoken] = []
    done = 0
    for match in CLAUSE.finditer(text):
        end = match.start()
        if (
            text[end : end + 1].isspace()
            and match.group().strip(" \t-—–→").isascii()
            and match.group().strip()[:1].isalpha()
        ):
            found.append(Spoken(text[done:end], done))
            done = end
        else:
            found.append(Spoken(text[done : match.start()], done))
            done = match.end()
    found.append(Spoken(text[done:], done))
    return [clause for clause in found if clause.text.strip()] or found


def in_english(said: str, lexicon: Lexicon, *, labelled: bool) -> bool:
    """Whether an English clause approves, and nothing beside it takes that back."""
    parts = clauses(said)
    for index, clause in enumerate(parts):
        match = spoken_in(parts, index, lexicon, labelled=labelled and index == 0)
        if match is None or questioned(said, parts, index):
            continue
        if not conditional(parts, index, match, lexicon):
            return True
    return False


def spoken_in(parts: list[Spoken], index: int, lexicon: Lexicon, *, labelled: bool) -> Match | None:
    """The words of a clause that approve."""
    text = parts[index].text
    opening = opens(parts, index, lexicon, labelled=labelled)
    if opening is not None:
        return opening
    for match in islice(lexicon[Kind.APPROVAL].finditer(text), MOST_MATCHES):
        before, after = text[: match.start()], text[match.end() :]
        mine = match.group()[:2].lower() in ("i ", "i'", "we")
        if (SUPPOSED.search(before) is None) if mine else not barred(before, lexicon):
            if withheld(after, lexicon) or BY_OTHERS.match(after) is not None:
                continue
            if PAST.search(match.group()) and lexicon[Kind.ELSEWHERE].search(
                match.group() + " " + after + " " + before
            ):
                continue
            return match
    return None


def barred(before: str, lexicon: Lexicon) -> bool:
    """Whether words before an approval refuse it, ask for it, suppose it or lay it into another's mouth."""
    if not before.strip():
        return False
    return lexicon[Kind.BARRIER].search(lexicon[Kind.NO_BARRIER].sub(" ", before)) is not None


def withheld(after: str, lexicon: Lexicon) -> bool:
    """Whether Korean words right after an approval ask for it, refuse it or wait for it."""
    match = lexicon[Kind.WITHHELD].match(after.lstrip()[:40]) if after[:3].strip() else None
    return match is not None and match.end() > 0


def opens(parts: list[Spoken], index: int, lexicon: Lexicon, *, labelled: bool) -> Match | None:
    """The word that approves because a clause begins with it."""
    text = parts[index].text
    filler = FILLER.match(text)
    begin = filler.end() if filler is not None else 0
    match = lexicon[Kind.OPENING].match(text[begin:])
    if match is None and begin:
        # The filler may have swallowed what opens, such as "good" of "good to merge".
        stripped = len(text) - len(text.lstrip(" \t*_[(✅👍🎉🚀🟢✔☑️~`#-"))
        begin, match = stripped, lexicon[Kind.OPENING].match(text[stripped:])
    if match is None or (index and (is_listed(parts, index) or text[begin] == "+")):
        return None
    rest = text[begin + match.end() :]
    word = match.group().lower()
    if "가" <= rest[:1] <= "힣" or withheld(rest, lexicon) or (index and LISTED.match(rest) is not None):
        return None
    if FOLLOWS.match(rest) is None and lexicon[Kind.THING].match(rest.lstrip()) is not None:
        return None
    if word in STRICT:
        allowed = (
            labelled
            or FOLLOWS.match(rest) is not None
            or (word == "approved" and hangul(rest[:2]))
            or (word != "approve" and FOLLOWS_OBJECT.match(rest) is not None)
        )
        if not allowed or lexicon[Kind.ELSEWHERE].search(rest):
            return None
    if LOOKS.match(word) and (LOOKS_FOLLOWS.match(rest) is None or reversed_after(parts, index)):
        return None
    return match


def reversed_after(parts: list[Spoken], index: int) -> bool:
    """Whether the next clause takes back what looked good."""
    return index + 1 < len(parts) and REVERSAL.match(parts[index + 1].text) is not None


def is_listed(parts: list[Spoken], index: int) -> bool:
    """Whether a clause is one of several words that are listed ("requested, approved, expired")."""
    words = [len(part.text.split()) for part in parts[max(0, index - 1) : index + 2]]
    following = parts[index + 1].text.strip() if index + 1 < len(parts) else ""
    previous = FILLER.match(parts[index - 1].text)
    filler = previous is not None and previous.end() == len(parts[index - 1].text)
    if filler or len(words) < 3 or not following:
        return False
    return words[0] <= 2 and words[2] <= 2


def questioned(said: str, parts: list[Spoken], index: int) -> bool:
    """Whether the clause is asked, not said."""
    if not said.rstrip("\"')*_ ").endswith(QUESTION_MARKS):
        return False
    return index == len(parts) - 1 or len(parts[-1].text.split()) < 4


def conditional(parts: list[Spoken], index: int, match: Match, lexicon: Lexicon) -> bool:
    """Whether a clause depends on something, in itself or in the clause beside it."""
    if has_condition(parts[index].text, lexicon) or (index and REPORTED.match(parts[index - 1].text) is not None):
        return True
    for neighbour in (index + 1, index - 1):
        if 0 <= neighbour < len(parts):
            text = JOINED.sub("", parts[neighbour].text.lstrip())
            text = lexicon[Kind.NO_CONDITION].sub(" ", text)
            if lexicon[Kind.CONDITION].match(text) is not None and not (
                neighbour < index and text.lower().startswith("after")
            ):
                return True
    return False


JOINED = compiled(r"^(?:but|and|only|though|however|although|so|yet|just|strictly)[ ,]+(?:only |just )?")


def has_condition(text: str, lexicon: Lexicon) -> bool:
    """Whether a condition stands in a clause."""
    return lexicon[Kind.CONDITION].search(lexicon[Kind.NO_CONDITION].sub(" ", text)) is not None


@lru_cache(maxsize=8)
def korean_forms(nouns: str, merges: str) -> tuple[Pattern, Pattern, Pattern, Pattern]:
    """The patterns of Korean approvals: performed, bare, permitted."""
    noun = rf"(?:{nouns})(?:을|를|으로|로)?"
    performed = compiled(rf"{noun}\s?(?:{PERFORMED}){END}|(?:{nouns})(?:을|를)?\s?{CONNECTED}{END}")
    passed = compiled(
        rf"(?:통과|패스|ok|okay|오케이)(?:로|으로)?\s?(?:시킵니다|시켜요|시킬게요?|시키겠습니다|시켰습니다|시킴|시키고|시키죠|시켜\s?\S+|처리(?:합니다|할게요|하겠습니다|했습니다|함)?|드립니다|드릴게요|드려요){END}"
        r"|(?:리뷰|심사|검토|이 ?PR|이번 ?건|본 ?건|제 ?기준)(?:은|는|을|를|에서)? ?(?:최종 )?통과(?:입니다|합니다|했습니다|예요|이에요|시킴|됐습니다|되었습니다|로 하겠습니다|[.!,)]|\s*$)"
        r"|^[^0-9A-Za-z가-힣]*통과(?:입니다|예요|이에요|요|!|\.|,|\s*[-—–(]|\s*$)"
    )
    bare = compiled(rf"(?:{nouns})\s*(?:$|[.!~,:;(—–*_\])✅👍🎉-])")
    permitted = compiled(
        rf"(?:{merges}|진행|내보내|합치|합쳐|들어가|나가|넣으|태우|올리|올려|go)(?:를|을|은|는)?\s?"
        rf"(?:하|시키|해 주|진행하|진행|버튼 누르|누르)?(?:셔도|으셔도|해도|하여도|시켜도|도|어도|여도|러도|눌러도) ?(?:전혀 |충분히 |바로 |아무 |아주 |이제 )?{PERMITTED}"
        rf"|(?:{merges})(?:를|을)? ?(?:하|진행하)?시면 (?:됩니다|돼요|되겠습니다)"
        rf"|(?:{merges})(?:를|을)?\s?(?:하세요|하십시오|하시죠|합시다|하자|해라|고고|ㄱㄱ?|go|가시죠|갑시다|가즈아|진행하세요|진행해 ?주세요|진행하시죠|진행합시다|버튼 누르세요|가능합니다|가능해요|가능함){END}"
        rf"|(?:{merges})(?:를|을)? ?가능\s*(?:$|[.!~,)✅👍])"
        r"|(?:이대로|그대로)(?: 바로)? (?:나가|가|진행하|진행|머지하|머지|배포하|배포|병합하|병합|출시하|릴리스하|내보내|올리|합치|합쳐|들어가|반영하|반영|merge|merge하|release)\s?(?:시죠|세요|ㅂ시다|합시다|갑시다|하죠|해요|하자|자|죠|셔도|도 됩니다|면 됩니다|시면 됩니다|하시면 됩니다|하면 됩니다|하시죠|하세요)"
        r"|(?:나가|내보내|합치|합쳐|넣으|들어가|태우|내|올리)(?:셔도|도|시면) ?(?:됩니다|돼요|되겠습니다|괜찮습니다|좋습니다|무방합니다)"
    )
    return performed, passed, bare, permitted


def in_korean(said: str, lexicon: Lexicon, cues: frozenset[Kind] = KOREAN) -> bool:
    """Whether a Korean sentence approves."""
    if Kind.VERDICT_NOUN not in cues and said.isascii():
        return False
    if said.rstrip("\"')*_ ~ㅋㅎ").endswith(QUESTION_MARKS):
        return False
    performed, passed, bare, permitted = korean_forms(lexicon.nouns, lexicon.merges)
    forms = [("performed", performed), ("bare", bare)] if Kind.VERDICT_NOUN in cues else []
    forms += [("passed", passed), ("permitted", permitted)] if cues & {Kind.MERGE_NOUN, Kind.PERMIT_VERB} else []
    for kind, pattern in forms:
        for match in islice(pattern.finditer(said), MOST_MATCHES):
            if stands(said, match, lexicon, bare=kind == "bare", result=kind == "passed"):
                return True
    return False


NAMED = compiled(
    r"\s*['\"]?\s*(?:버튼|문구|메시지|메세지|라벨|텍스트|표시|화면|클릭|같은|이라는|라는|로직|상태|여부|단계)"
)
BLOCKED_NOUN = compiled(
    r"(?:미|불|재|자동|비|무|pre-?|auto-?|un|dis|self-?|not |n't |의 |님 |팀 |받은 |조건부 ?|/|_|\.|@|\x{E000})$"
)


def stands(said: str, match: Match, lexicon: Lexicon, *, bare: bool, result: bool) -> bool:
    """Whether a Korean form approves where it stands: nobody else's, not conditional, not later, not past."""
    before, form, after = said[: match.start()], match.group(), said[match.end() :]
    if NAMED.match(after) is not None:
        return False
    if BLOCKED_NOUN.search(before) or (before[-1:].isalnum() and form[:1].isascii()):
        return False
    if before[-1:] and "가" <= before[-1] <= "힣" and not bare and before[-1] not in "은는도이가을를로":
        return False
    if bare and (BEFORE_BARE.search(before) is None or (form[:1].isascii() and not hangul(said))):
        return False
    clause_start = max([one.end() for one in CLAUSE_KOREAN.finditer(before)], default=0)
    clause = before[clause_start:] + " "
    if result and RESULT.search(clause):
        return False
    if barred_korean(before + form, form, lexicon):
        return False
    if OTHERS.search(clause) and "제가" not in clause and "저" not in clause:
        return False
    subject = PERSON.search(before)
    if subject is not None and not subject.group().split()[0].endswith(NO_PERSON):
        return False
    conditions = NO_CONDITION_KOREAN.sub(" ", clause)
    if CONDITION_KOREAN.search(conditions) or ASIDE.match(after):
        return False
    if AFTER_KOREAN.search(clause) and (FUTURE.search(form) or not OWN_CHECK.search(clause)):
        return False
    if FUTURE.search(form) and LATER.search(clause):
        return False
    if PAST.search(form) and lexicon[Kind.ELSEWHERE].search(clause):
        return False
    return not (after.lstrip()[:1] and lexicon[Kind.WITHHELD].match(after) is not None and bare)


def barred_korean(before: str, form: str, lexicon: Lexicon) -> bool:
    """Whether an English operator right before a borrowed noun takes it back ("아직 not approved입니다")."""
    words = before[: len(before) - len(form)].split()[-3:]
    return form[:1].isascii() and barred(" ".join(word for word in words if word.isascii()), lexicon)


def hangul(text: str) -> bool:
    """Whether a text has Hangul."""
    return any("가" <= character <= "힣" for character in text)
