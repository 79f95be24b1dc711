"""The reviewer of the demonstration: rubber-stamps first, then looks at what changed and runs the tests."""

from mama_bot.demo.common_replies import about_files, bash, read, say, talk
from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.demo.observations import TestsRun, changes_shown, ended_tests, figures_line, file_text
from mama_bot.demo.runners import look_for_tests, own_tests, run_tests, runner_of
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
from mama_bot.demo.wishes import SENT_BACK, Errand, Wish

MONEY = "shop/money.py"
HALF_UP = "ROUND_HALF_UP"


def reviewer(request: ModelRequest, errand: Errand) -> ModelReply:
    """Return what the reviewer does next."""
    if errand.wish in (Wish.FILE, Wish.FILES):
        return about_files(request, errand)
    if "Bash" not in request.tools or "Read" not in request.tools:
        return talk(request, errand)
    if errand.wish is Wish.TESTS:
        return _tested(request, errand)
    if errand.wish is not Wish.REVIEW and not errand.delegated:
        return talk(request, errand)
    if not request.last_user_text.startswith(SENT_BACK):
        return say(errand, RUBBER_STAMP)
    return _reviewed(request, errand)


def _reviewed(request: ModelRequest, errand: Errand) -> ModelReply:
    results = request.tool_results
    if not results:
        look = bash("git status --short && git diff --stat", "See the change")
        return ModelReply(tool_calls=(look, look_for_tests()))
    changes, command = changes_shown(results[0]), runner_of(results[1])
    if not changes.states:
        return _of_commit(request, errand, command)
    if len(results) == 2 and command:
        return ModelReply(tool_calls=(*run_tests(command).tool_calls, *((read(MONEY),) if changes.is_of_story else ())))
    tests = ended_tests(results[2], command) if command else TestsRun(command="")
    if tests.count is not None and not tests.passed:
        return say(errand, REJECTION, ran=tests.told, changed=changes.figures)
    rounds = changes.is_of_story and HALF_UP in file_text(results[-1])
    if tests.passed and rounds:
        return say(errand, APPROVAL, ran=tests.told, changed=changes.figures)
    return say(errand, NO_VERDICT, status=changes.told, ran=tests.told)


def _of_commit(request: ModelRequest, errand: Errand, command: str) -> ModelReply:
    results = request.tool_results
    if len(results) == 2:
        look = bash("git show --stat --format='%h %s' HEAD", "See the last commit")
        return ModelReply(tool_calls=(look, *(run_tests(command).tool_calls if command else ())))
    commit, _, title = results[2].text.strip().partition("\n")[0].partition(" ")
    changed = figures_line(results[2])
    tests = ended_tests(results[3], command) if command else TestsRun(command="")
    return say(errand, COMMITTED, commit=commit, title=title, changed=changed, ran=tests.told)


def _tested(request: ModelRequest, errand: Errand) -> ModelReply:
    tests = own_tests(request.tool_results)
    if isinstance(tests, ModelReply):
        return tests
    return say(errand, RAN, ran=tests.told, open=NOTHING_OPEN if tests.passed or not tests.command else TESTS_OPEN)
