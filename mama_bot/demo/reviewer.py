"""The reviewer of the demonstration: rubber-stamps first, then looks at what changed and runs the tests."""

from mama_bot.demo.answers import about_files, bash, read, run_tests, say, talk
from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.demo.observations import changes_shown, figures_line, file_text, tests_run
from mama_bot.demo.sentences import (
    APPROVAL,
    COMMITTED,
    NO_VERDICT,
    NOTHING_OPEN,
    RAN,
    REJECTION,
    RUBBER_STAMP,
    TESTS_OPEN,
)
from mama_bot.demo.wishes import SENT_BACK, Asked, Wish

MONEY = "shop/money.py"
HALF_UP = "ROUND_HALF_UP"


def reviewer(request: ModelRequest, asked: Asked) -> ModelReply:
    """Return what the reviewer does next."""
    if asked.wish in (Wish.FILE, Wish.FILES):
        return about_files(request, asked)
    if "Bash" not in request.tools or "Read" not in request.tools:
        return talk(request, asked)
    if asked.wish is Wish.TESTS:
        return _tested(request, asked)
    if asked.wish is not Wish.REVIEW and not asked.delegated:
        return talk(request, asked)
    if not request.last_user_text.startswith(SENT_BACK):
        return say(asked, RUBBER_STAMP)
    return _reviewed(request, asked)


def _reviewed(request: ModelRequest, asked: Asked) -> ModelReply:
    results = request.tool_results
    if not results:
        return ModelReply(tool_calls=(bash("git status --short && git diff --stat", "See the change"),))
    changes = changes_shown(results[0])
    if not changes.states:
        return _of_commit(request, asked)
    if len(results) == 1:
        return ModelReply(tool_calls=(run_tests(), *((read(MONEY),) if changes.is_of_story else ())))
    tests = tests_run(results[1])
    if tests.count is not None and not tests.passed:
        return say(asked, REJECTION, ran=tests.told, changed=changes.figures)
    rounds = changes.is_of_story and HALF_UP in file_text(results[-1])
    if tests.passed and rounds:
        return say(asked, APPROVAL, ran=tests.told, changed=changes.figures)
    return say(asked, NO_VERDICT, status=changes.told, ran=tests.told)


def _of_commit(request: ModelRequest, asked: Asked) -> ModelReply:
    results = request.tool_results
    if len(results) == 1:
        look = bash("git show --stat --format='%h %s' HEAD", "See the last commit")
        return ModelReply(tool_calls=(look, run_tests()))
    commit, _, title = results[1].text.strip().partition("\n")[0].partition(" ")
    changed, tests = figures_line(results[1]), tests_run(results[2])
    return say(asked, COMMITTED, commit=commit, title=title, changed=changed, ran=tests.told)


def _tested(request: ModelRequest, asked: Asked) -> ModelReply:
    if not request.tool_results:
        return ModelReply(tool_calls=(run_tests(),))
    tests = tests_run(request.tool_results[-1])
    return say(asked, RAN, ran=tests.told, open=NOTHING_OPEN if tests.passed else TESTS_OPEN)
