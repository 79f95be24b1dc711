"""The script of the demonstration: what the model says when there is no Claude login and no API key.

Its parts: a refactoring of three files, in which the developer first flatters and the reviewer first rubber-stamps, and
both are sent back; a change that breaks tests, over which the developer claims that all pass; the tests, a review and
the files as they stand. Only the model's words are scripted: the CLI, its tools, the repository and the chain are the
real ones, and what a reply says of the repository is read from what a tool printed just before.
"""

from dataclasses import replace

from mama_bot.demo.developer import developer
from mama_bot.demo.lead import lead
from mama_bot.demo.model_script import ModelReply, ModelRequest, ModelScript, TokenCount
from mama_bot.demo.reviewer import reviewer
from mama_bot.demo.sentences import ASKED_MEANWHILE
from mama_bot.demo.wishes import SENT_BACK, errand_of, told_meanwhile
from mama_bot.wording import one_line

NO_TOKENS = TokenCount(input=0, output=0)  # a script uses none, and costs nothing
QUOTED_CHARACTERS = 200
PAUSE_AFTER_REJECTION = 3.0  # times as long, so that a person can read why


def story(*, delay_seconds: float = 0.0, in_shop: bool = True) -> ModelScript:
    """Return the script; the model thinks for `delay_seconds` before each answer, so that a person can follow.

    Without `in_shop` conversations work in a repository of a person's own, where no story of the shop is offered.
    """

    def script(request: ModelRequest) -> ModelReply:
        role = {"developer": developer, "reviewer": reviewer}.get(request.persona, lead)
        errand = replace(errand_of(request), in_shop=in_shop)
        reply = role(request, errand)
        for question in () if reply.tool_calls else told_meanwhile(request):
            asked = ASKED_MEANWHILE.to(errand.language, question=one_line(question, QUOTED_CHARACTERS))
            reply = replace(reply, text=f"{asked}\n\n{reply.text}")
        rejected = request.last_user_text.startswith(SENT_BACK) and not request.tool_results
        pause = delay_seconds * (PAUSE_AFTER_REJECTION if rejected else 1)
        return replace(reply, delay_seconds=pause, usage=NO_TOKENS)

    return script
