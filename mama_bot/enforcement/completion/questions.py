"""Whether a reply ends by asking somebody something, and whether a task only goes on with an older one."""

from mama_bot.enforcement.completion.marks import marks
from mama_bot.model import Delegation
from mama_bot.text.paths import plain_text
from mama_bot.text.patterns import compiled
from mama_bot.text.prose import ProseLine
from mama_bot.text.sentences import reading_of, sentences_of, unwrapped

ASKING_SENTENCES, ASKING_LINES = 2, 5  # the last two sentences, below which a short list of choices may stand
CHOICE = compiled(r"\S \? [^?\n]{1,80}? : \S")  # x ? y : z
CLOSING = " .!~…*_)]}\"'”’」』"
BETWEEN = {ord(sign): " " for sign in '\t\n"#$%&()*+,:;<=>@\\^`{|}~·…“”「」『』【】、。!?.'}
LISTS = ("question", "질문", "decision", "확인할", "결정할")
FINISHED_QUESTIONS = ("why ", "how come", "왜 ")  # asked and answered by the same hand
TASK_CHARACTERS = 2_000
END_CHARACTERS = 10_000


def is_asking(text: str) -> bool:
    """Return whether a text ends by asking somebody something, in its last two sentences of prose.

    A closing courtesy (`let me know if you have any questions`) asks nothing.
    """
    lines = reading_of(text).lines
    choices = 0
    while choices < min(ASKING_LINES, len(lines)) and lines[-1 - choices].item:
        choices += 1
    listed, above = lines[len(lines) - choices :], lines[: len(lines) - choices]
    if above and above[-1].item:  # more than a few choices: a list, not a question
        return False
    if listed and any(word in above[-1].text.lower() for word in LISTS) if above else bool(listed):
        return any(_is_question(sentence) for sentence in _sentences(listed))
    last = _sentences(tuple([_end_of(line) for line in above[-ASKING_LINES:]]))[-ASKING_SENTENCES:]
    return any(
        _is_question(sentence) and not (place + 1 < len(last) and sentence.startswith(FINISHED_QUESTIONS))
        for place, sentence in enumerate(last)
    )


def goes_on_with_work(delegation: Delegation) -> bool:
    """Return whether a delegation asks for nothing new, only to go on: `continue with the migration`."""
    if delegation.expected_outcome.strip():
        return False
    task = plain_text(delegation.task[:TASK_CHARACTERS]).lower()
    return not task.rstrip(CLOSING).endswith("?") and marks().go_on.stands_in(_words(task))


def _end_of(line: ProseLine) -> ProseLine:
    """Return the end of a line, long enough for its last sentences."""
    begin = max(0, len(line.text) - END_CHARACTERS)
    return line._replace(start=line.start + begin, text=line.text[begin:])


def _sentences(lines: tuple[ProseLine, ...]) -> list[str]:
    """Return the last sentences of some lines, in lower case."""
    near = lines[-ASKING_LINES:]
    return [
        sentence.text.lower()
        for line in unwrapped(list(near))
        for sentence in sentences_of(ProseLine(line.start, CHOICE.sub(" ", line.text), line.item))
        if line.text.strip()
    ]


def _is_question(sentence: str) -> bool:
    known = marks()
    words = _words(sentence)
    ending = sentence.rstrip(CLOSING)
    asked = ending.endswith("?")
    if known.courtesies.stands_in(words) and not (known.whether.stands_in(words) and not asked):
        return False
    if asked or ending.endswith(known.sentence_ends) or known.questions.stands_in(words):
        return True
    return known.checking.stands_in(words) and known.whether.stands_in(words)


def _words(text: str) -> str:
    return f" {' '.join(text.translate(BETWEEN).split())} "
