"""Claims about what was done once and stays done: committed, pushed, merged, published, deployed."""

from collections.abc import Sequence
from dataclasses import dataclass

from mama_bot.enforcement.language.patterns import compiled
from mama_bot.enforcement.reconciliation.answers import Answers
from mama_bot.enforcement.reconciliation.places import plain_name
from mama_bot.enforcement.reconciliation.timeline import RunAt, Timeline, output_of
from mama_bot.model import CheckedClaim, Claim, ClaimKind, ClaimReason, Run, RunEnd, RunKind

DEEDS = {
    ClaimKind.COMMITTED: (RunKind.COMMIT,),
    ClaimKind.PUSHED: (RunKind.PUSH,),
    ClaimKind.MERGED: (RunKind.MERGE,),
    ClaimKind.PUBLISHED: (RunKind.PUBLISH,),
    ClaimKind.DEPLOYED: (RunKind.DEPLOY,),
}
BY_HAND = {
    ClaimKind.DEPLOYED: compiled(
        r"\b(?:kubectl (?:apply|set|rollout|create|replace)|helm (?:install|upgrade)|terraform apply"
        r"|docker (?:push|compose up|stack)"
        r"|fly(?:ctl)? deploy|vercel|netlify|serverless|sam deploy|cdk deploy|gcloud|aws |az |heroku"
        r"|ansible-playbook|rsync|scp"
        r"|cap \w+ deploy|skaffold|argocd|pulumi up|wrangler|firebase deploy)|\bdeploy|\brelease\.sh|rollout",
        groups=False,
    ),
    ClaimKind.PUBLISHED: compiled(
        r"\bpublish\b|\btwine upload|\bgh release"
        r"|\bdocker push|\bgem push|\bnuget push",
        groups=False,
    ),
}
END_OF = {True: RunEnd.FAILED, False: RunEnd.PASSED}
ARRIVED = compiled(r"\b[0-9a-f]{7,40}\.\.\.?[0-9a-f]{7,40} +\S+ -> \S+|\[new branch\]", groups=False)
QUIET = compiled(r" (?:-\w*q\w*|--quiet)\b", groups=False)
COMPLAINS = compiled(
    r"nothing (?:added )?to commit|no changes added|(?m:^(?:fatal|error|hint): )|rejected|CONFLICT|[Pp]ermission denied"
    r"|hook (?:declined|failed)|(?:exit|rc|status)[ =:]*[1-9]",
    groups=False,
)
HEXADECIMAL = compiled(r"[0-9a-f]{7,40}")
BRANCHES = frozenset(
    ("main", "master", "develop", "dev", "staging", "production", "prod", "release", "test", "testing", "qa", "canary")
)


@dataclass(frozen=True, slots=True)
class DeedsCheck:
    """Checks claims about deeds against a record."""

    timeline: Timeline
    answers: Answers

    def deed(self, claim: Claim) -> CheckedClaim:
        """Committed, pushed, merged, published, deployed: done once, it stays done."""
        kinds = DEEDS[claim.kind]
        found = [one for one in self.timeline.runs if one.run.kind in kinds]
        own = [one for one in found if one.own]
        if not own:
            return self._by_hand(claim) or self.answers.without_own(claim, found)
        if claim.fails:
            failed = [one for one in own if one.run.end is not RunEnd.PASSED]
            return self.answers.confirmed(claim, (failed or own)[-1])
        done = [
            one for one in own if (one.run.end is RunEnd.PASSED or _arrived(one) or _quiet(one)) and not one.run.dry
        ]
        if done:
            named = [name for one in claim.subjects if (name := plain_name(one).lower())]
            right = [one for one in done if not named or self._is_about(one, named)]
            if right:
                return self.answers.confirmed(claim, right[-1])
            return self.answers.answer(claim, done[-1], ClaimReason.ELSEWHERE)
        one = own[-1]
        if one.run.dry:
            return self.answers.answer(claim, one, ClaimReason.RAN_NOTHING)
        return self.answers.ended(claim, one)

    def _by_hand(self, claim: Claim) -> CheckedClaim | None:
        """A deployment or publication by a command that is known by its words alone."""
        words = BY_HAND.get(claim.kind)
        if words is None:
            return None
        last: CheckedClaim | None = None
        for call, command in self.timeline.commands:
            if words.search(command) is not None and "dry-run" not in command and call.ended_at is not None:
                failed = call.ok is False or (call.exit_status or 0) != 0
                run = Run(kind=DEEDS[claim.kind][0], tool="", command=command[:1000], end=END_OF[failed])
                one = RunAt(run, call, (0, 0), "", own=True)
                last = (
                    self.answers.answer(claim, one, ClaimReason.FAILED)
                    if failed
                    else self.answers.confirmed(claim, one)
                )
        return last

    def _is_about(self, one: RunAt, named: Sequence[str]) -> bool:
        """Whether what a claim names occurs in what was done; only commits and branches are told apart."""
        shown = f"{one.run.target}\n{one.run.command}\n{one.call.arguments}\n{output_of(one.call)}".lower()
        identifiers = [name for name in named if HEXADECIMAL.fullmatch(name) is not None]
        if identifiers:
            later = (output_of(call).lower() for call in self.timeline.own_calls)
            return any(name in shown for name in identifiers) or any(
                name in text for text in later for name in identifiers
            )
        places = [name for name in named if name in BRANCHES or "/" in name]
        return not places or any(_occurs(name, shown) for name in places) or not _tells_place(one, places)


def _occurs(place: str, shown: str) -> bool:
    """Whether a branch is named: "origin/main" is `git push origin main`."""
    remote, _, branch = place.partition("/")
    return place in shown or (bool(branch) and f"{remote} {branch}" in shown)


def _quiet(one: RunAt) -> bool:
    """Whether git, told to be quiet and followed by other commands, had nothing to complain of: it does, aloud."""
    if one.run.end is not RunEnd.MASKED or QUIET.search(one.run.command) is None:
        return False
    output = output_of(one.call)
    return one.call.output_size <= len(output) and COMPLAINS.search(output) is None


def _arrived(one: RunAt) -> bool:
    """Whether a push among several that failed got through: git says of each what became of it."""
    if one.run.kind is not RunKind.PUSH or one.run.end is not RunEnd.FAILED:
        return False
    output = output_of(one.call)
    return ARRIVED.search(output) is not None and "! [" not in output


def _tells_place(one: RunAt, places: Sequence[str]) -> bool:
    """Whether a run says which branch or environment it was of."""
    shown = f"{one.run.target} {one.run.command}".lower()
    return bool(one.run.target) or any(name in shown for name in BRANCHES.difference(places))
