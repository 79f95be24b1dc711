"""The grammar of Korean verdicts: endings by which a speaker performs, and what takes them back."""

from functools import lru_cache
from itertools import islice

from mama_bot.enforcement.approval.english import MOST_MATCHES, QUESTION_MARKS, is_barred
from mama_bot.text.lexicon import Kind, Lexicon
from mama_bot.text.normalise import MASK
from mama_bot.text.patterns import Match, Pattern, compiled
from mama_bot.wording import has_hangul

PERMITTED = (
    r"(?:됩니다|돼요|되겠습니다|되겠네요|되겠어요|되겠다"
    r"|될 (?:것|거) 같(?:습니다|아요|네요|음)"  # 될 것 같습니다
    r"|될 ?듯(?:합니다|해요|요|함)?"  # 될 듯합니다
    r"|된다|됨|돼|되죠|되네요"
    r"|될 것으로 (?:판단|봅)\S*"  # 될 것으로 판단합니다
    r"|좋(?:습니다|아요|네요|음|다"  # 좋습니다
    r"|겠(?:습니다|어요|네요|다|음)"
    r"|을 (?:것|거|듯)\s?(?:같)?(?:습니다|아요|네요|음|합니다|해요)?)"
    r"|괜찮(?:습니다|아요|네요|음|다"  # 괜찮습니다
    r"|겠(?:습니다|어요|네요)"
    r"|을 (?:것|거|듯)\s?(?:같)?(?:습니다|아요|네요|음|합니다|해요)?)"
    r"|무방합니다|무방함|무방"
    r"|(?:된|괜찮|무방하|좋|문제 ?없|상관 ?없)다고 "  # 문제 없다고
    r"(?:봅니다|봐요|생각합니다|생각해요|판단합니다|판단됩니다|판단했습니다|판단해요|보입니다)"
    r"|되겠는데요?|상관 ?없습니다|문제 ?없습니다"
    r"|문제 ?없(?:어요|음|겠습니다|을 것 같습니다)"  # 문제 없겠습니다
    r"|오케이"
    r"|ok|ㅇㅋ"
    r"|이상 ?없습니다)"
)
TAIL = r"[^.!?~,;:)(—–\n]*"
END = r"(?:$|[^가-힣])"
BEFORE_BARE = compiled(
    r"(?:^"
    r"|[은는도로서니까고며데음함임됨,.!:;)—–=>*|✅👍🎉~-]"
    r"|정상|최종|무조건|전부|모두|즉시|그냥|전원"
    r"|ㅇㅇ|ㅇㅋ|ㄱㄱ"
    r"|네|넵|예|응|어|오케이|굿|통과|없어|없이|에|이상|당연히|고로|흔쾌히|기꺼이|두말없이|일단|저|다)"
    r"\s*[\[(*_`'\"]*$"
)
CLAUSE_KOREAN = compiled(
    r"(?:므로|니까?|라서|어서|아서|해서|여서|지만|는데|은데|인데|했고|였고|됐고|왔고|없고|있고|이고|같고|기에"
    r"|길래|때문에|셔서|으며|이며|하며)[\s,]"
    r"|[.;]\s"
)
NO_PERSON = ("없이", "같이", "많이", "굳이", "깊이", "높이", "것이", "건이", "제가", "내가", "우리가", "저희가", "일이")
PERSON = compiled(r"(?:^|\s)(?:[^\s제내][^\s]*|[제내][^\s]+)(?:이|가|께서)\s(?:이미 |먼저 |직접 |방금 |좀 )?$")


@lru_cache(maxsize=8)
def korean_forms(nouns: str, merges: str) -> tuple[Pattern, Pattern, Pattern, Pattern]:
    """Compile the forms of Korean approvals from the nouns for verdicts and for merging.

    Returns four patterns: performed (`승인합니다`, with what follows it in its clause), passed (`통과시킵니다`), bare
    (`승인.`) and permitted (`머지해도 됩니다`).
    """
    performed = compiled(rf"(?:{nouns})[^\s가-힣]?{TAIL}")
    passed = compiled(
        r"(?:통과|패스|pass|ok|okay|오케이)(?:로|으로)?\s?"
        r"(?:시킵니다|시켜요|시킬게요?|시키겠습니다|시켰습니다|시킴|시키고|시키죠|시켜\s?\S+"
        r"|처리(?:합니다|할게요|하겠습니다|했습니다|함)?"
        rf"|드립니다|드릴게요|드려요){END}"
        r"|(?:통과|패스|pass|ok|적합)(?:으로|로)?\s?(?:최종 )?(?:판정|판단|결론|결정|평가|의결)(?:을|를)?\s?"
        r"(?:내립니다|내리겠습니다|합니다|하겠습니다|했습니다|드립니다|함|할게요|해요|짓겠습니다|입니다)"
        r"|(?:판정|결론|평결|제 ?의견|제 ?판단|(?:리뷰|심사|검토|최종) ?(?:결과|의견|판정))(?:은|는)? ?(?:최종 )?"
        r"(?:통과|패스|pass|적합|ok|오케이|머지)"
        r"(?:입니다|이에요|예요|임|로 (?:하겠습니다|합니다|냅니다|갈음합니다))"
        r"|(?:저는|전|저도|제 ?(?:쪽|기준|입장)(?:은|에서는?|에선|으로는)) ?(?:무조건 |완전 |당연히 )?"
        r"(?:오케이|오키|ㅇㅋ|ok|okay|패스)(?:입니다|예요|이에요|요|이요|드립니다|\s*[.!~]*$)"
        r"|(?:리뷰|심사|검토|이 ?PR|이번 ?건|본 ?건|제 ?기준)(?: ?결과)?(?:은|는|을|를|에서)? ?(?:최종 )?통과"
        r"(?:입니다|합니다|했습니다|예요|이에요|시킴|됐습니다|되었습니다|로 하겠습니다|[.!,)]|\s*$)"
        r"|(?:문제|이상|지적|걸리|걸릴|이견|이의|흠|결함|보완|고칠|막을|빠진|반려|트집)[^.,\n]{0,20}없"
        r"(?:으므로|으니|으니까|어서|기에|기 때문에|으므로,|으니,|어서,) ?(?:이대로 |최종 |그대로 )?통과"
        r"(?:입니다|예요|이에요|요|임)"
        r"|^[^0-9A-Za-z가-힣]*통과(?:입니다|예요|이에요|요|!|\.|,|\s*[-—–(]|\s*$)"
    )
    bare = compiled(rf"(?:{nouns})\s*(?:$|[.!~,:;(—–*_\])✅👍🎉🟢🚀🙆-])")
    permitted = compiled(
        rf"(?:{merges}|진행|내보내|합치|합쳐|들어가|나가|넣으|태우|올리|올려|go)(?:를|을|은|는)?\s?"
        r"(?:하|시키|해 주|진행하|진행|버튼 누르|누르)?(?:셔도|으셔도|해도|하여도|시켜도|도|어도|여도|러도|눌러도) ?"
        rf"(?:전혀 |충분히 |바로 |아무 |아주 |이제 )?{PERMITTED}"
        rf"|(?:{merges})(?:를|을)? ?(?:하|진행하)?시면 (?:됩니다|돼요|되겠습니다|될 (?:것|거) 같\S+|될 ?듯\S*)"
        rf"|(?:{merges})(?:를|을)?\s?(?:하세요|하십시오|하시죠|합시다|하자|해라|고고"
        r"|ㄱㄱ?|go\b"
        r"|가시죠|갑시다|가즈아|진행하세요|진행해 ?주세요|진행하시죠|진행합시다|버튼 누르세요|가능합니다|가능해요"
        rf"|가능함){END}"
        rf"|(?:{merges})(?:은|는|도)?\s?(?:ㅇㅋ|오케이|오키|ok|okay|고|콜)(?:입니다|요|여|이요|함|예요|이에요)?{END}"
        rf"|(?:{merges})(?:가|이)? ?가능(?:한 것으로|하다고|한 상태로|한 수준으로| 상태로| 수준으로|으로) "
        r"(?:봅니다|판단합니다|판단됩니다|판단함|보입니다|생각합니다|판정합니다)"
        r"|(?:머지|병합|merge)\s?(?:해|하셈|하삼|해라)[.!~ ]*$"
        rf"|(?:{merges})(?:를|을)? ?가능\s*(?:$|[.!~,)✅👍])"
        r"|(?:이대로|그대로)(?: 바로)? (?:나가|가|진행하|진행|머지하|머지|배포하|배포|병합하|병합|출시하|릴리스하"
        r"|내보내|올리|합치|합쳐|들어가|반영하|반영"
        r"|merge"
        r"|merge하"
        r"|release)\s?(?:시죠|세요|ㅂ시다|합시다|갑시다|하죠|해요|하자|자|죠|셔도|도 됩니다|면 됩니다|시면 됩니다"
        r"|하시면 됩니다|하면 됩니다|하시죠|하세요)"
        r"|(?:나가|내보내|합치|합쳐|넣으|들어가|태우|내|올리)(?:셔도|도|시면) ?"
        r"(?:됩니다|돼요|되겠습니다|괜찮습니다|좋습니다|무방합니다)"
    )
    return performed, passed, bare, permitted


def is_korean_approval(
    sentence: str, lexicon: Lexicon, cues: frozenset[Kind], silent: frozenset[Kind] = frozenset()
) -> bool:
    """Return whether a Korean sentence approves."""
    if Kind.VERDICT_NOUN not in cues and sentence.isascii():
        return False
    if sentence.rstrip("\"')*_ ~ㅋㅎ").endswith(QUESTION_MARKS):
        return False
    performed, passed, bare, permitted = korean_forms(lexicon.nouns, lexicon.merges)
    forms = [("performed", performed), ("bare", bare)] if Kind.VERDICT_NOUN in cues else []
    forms += (
        [("passed", passed), ("permitted", permitted)]
        if cues & {Kind.MERGE_NOUN, Kind.PERMIT_VERB} and not sentence.isascii()
        else []
    )
    for kind, pattern in forms:
        for match in islice(pattern.finditer(sentence), MOST_MATCHES):
            if kind == "performed" and not is_performed(match.group(), lexicon):
                continue
            if kind == "passed" and Kind.BARE_RESULT in silent and is_bare_result(match.group(), lexicon):
                continue
            if is_approval_form(sentence, match, lexicon, bare=kind == "bare", result=kind == "passed"):
                return True
    return False


def is_bare_result(form: str, lexicon: Lexicon) -> bool:
    """Return whether a form begins with a word of results that nothing stands before: `: 통과.`."""
    first = next((index for index, character in enumerate(form) if character.isalpha() and character != MASK), 0)
    match = lexicon[Kind.BARE_RESULT].match(form[first:])
    return match is not None and not form[first + match.end() :].startswith(CAUSING)


def is_performed(form: str, lexicon: Lexicon) -> bool:
    """Return whether a noun is carried by verbs with which a speaker performs it: `승인으로 처리하겠습니다`.

    Each word behind the noun is one that carries it, the last one states, and none asks, denies or tells of another.
    """
    noun = lexicon[Kind.VERDICT_NOUN].match(form)
    carried = form[noun.end() :].strip() if noun is not None else ""
    for particle in PARTICLES:
        if carried.startswith(particle) and carried[len(particle) :].lstrip().startswith(lexicon.words(Kind.CARRIER)):
            carried = carried[len(particle) :].lstrip()
            break
    words = [word for word in carried.split() if any(map(str.isalnum, word)) and word.strip(LAUGHTER)]
    if not words:
        return False
    taking_back = lexicon.words(Kind.UNPERFORMED)
    if words[0] in lexicon.words(Kind.CONNECTED):
        return not any(part in " ".join(words[:2]) for part in taking_back)
    if any(part in carried for part in taking_back):
        return False
    return (
        len(words) <= MOST_CARRIERS
        and all(word.startswith(lexicon.words(Kind.CARRIER)) for word in words)
        and words[-1].endswith(lexicon.words(Kind.STATING))
    )


LAUGHTER = "ㅋㅎㅠㅜ~!.^"
CAUSING = "시"  # 통과시키겠습니다
PARTICLES = ("으로", "로", "을", "를")
MOST_CARRIERS = 4
BLOCKED_NOUN = compiled(
    r"(?:미|불|재|자동|비|무|pre-?|auto-?|un|dis|self-?|not |n't |의 |님 |팀 |받은 |조건부 ?|/|_|\.|@|\x{E000})$"
)


def is_approval_form(sentence: str, match: Match, lexicon: Lexicon, *, bare: bool, result: bool) -> bool:
    """Return whether a matched form approves where it stands: as a word of its own, by the speaker, now."""
    before, form, after = sentence[: match.start()], match.group(), sentence[match.end() :]
    if lexicon[Kind.NAMED_THING].match(after) is not None or lexicon[Kind.ASIDE].match(after) is not None:
        return False
    if not is_free(sentence, before, form, bare=bare):
        return False
    if is_barred_korean(before + form, form, lexicon):
        return False
    if bare and after.strip() and lexicon[Kind.WITHHELD].match(after) is not None:
        return False
    clause_start = max([boundary.end() for boundary in CLAUSE_KOREAN.finditer(before)], default=0)
    clause = before[clause_start:] + " "
    if result and lexicon[Kind.CHECK_SUBJECT].search(clause):
        return False
    if bare and is_topic_of_others(before, lexicon):
        return False
    return not is_by_others(before, clause, lexicon) and holds_now(clause, form, lexicon)


def is_topic_of_others(before: str, lexicon: Lexicon) -> bool:
    """Return whether the word before a bare noun makes somebody else its topic: `지아는 LGTM`."""
    words = before.split()
    return bool(words) and words[-1].endswith(TOPIC_PARTICLES) and not words[-1].endswith(lexicon.words(Kind.OWN_TOPIC))


TOPIC_PARTICLES = ("은", "는")


def is_free(sentence: str, before: str, form: str, *, bare: bool) -> bool:
    """Return whether a form is no part of a longer word; a bare noun must end a statement."""
    if BLOCKED_NOUN.search(before) or (before[-1:].isalnum() and form[:1].isascii()):
        return False
    if bare:
        return BEFORE_BARE.search(before) is not None and not (form[:1].isascii() and not has_hangul(sentence))
    return not ("가" <= before[-1:] <= "힣") or before[-1] in "은는도이가을를로"


def is_by_others(before: str, clause: str, lexicon: Lexicon) -> bool:
    """Return whether somebody else is the subject: `팀장님이 승인했습니다`."""
    subject = PERSON.search(before)
    if subject is not None and not subject.group().split()[0].endswith(NO_PERSON):
        return True
    return lexicon[Kind.OTHERS].search(clause) is not None and "제가" not in clause and "저" not in clause


def holds_now(clause: str, form: str, lexicon: Lexicon) -> bool:
    """Return whether a form is unconditional, and neither announced for later nor told of the past."""
    if lexicon[Kind.KOREAN_CONDITION].search(lexicon[Kind.NO_KOREAN_CONDITION].sub(" ", clause)):
        return False
    future = lexicon[Kind.FUTURE].search(form) is not None
    if lexicon[Kind.AFTERWARDS].search(clause) and (future or not lexicon[Kind.OWN_CHECK].search(clause)):
        return False
    if future and lexicon[Kind.LATER].search(clause):
        return False
    return not (lexicon[Kind.PAST].search(form) and lexicon[Kind.ELSEWHERE].search(clause))


def is_barred_korean(before: str, form: str, lexicon: Lexicon) -> bool:
    """Return whether an English word right before a borrowed noun takes it back: `아직 not approved입니다`."""
    words = before[: len(before) - len(form)].split()[-3:]
    return form[:1].isascii() and is_barred(" ".join(word for word in words if word.isascii()), lexicon)
