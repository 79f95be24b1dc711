"""Claims about what was done once and stays done: committed, pushed, merged, published, deployed."""

from collections.abc import Sequence
from dataclasses import dataclass

from mama_bot.enforcement.claims.reconciliation.answers import Answers
from mama_bot.enforcement.claims.reconciliation.calls import output_of
from mama_bot.enforcement.claims.reconciliation.moments import RunAt
from mama_bot.enforcement.claims.reconciliation.results import doings, git_text
from mama_bot.enforcement.claims.reconciliation.timeline import Timeline
from mama_bot.facts.places import named_path, same_file
from mama_bot.model import CheckedClaim, Claim, ClaimKind, ClaimReason, Run, RunEnd, RunKind
from mama_bot.text.paths import file_names
from mama_bot.text.patterns import compiled

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
ENVIRONMENTS = (
    ("production", compiled(r"\bprod(?:uction)?\b|운영|프로덕션|상용", groups=False)),
    ("staging", compiled(r"\bstag(?:e|ing)\b|\bstg\b|스테이징", groups=False)),
    ("testing", compiled(r"\bqa\b|\btest(?:ing)? env|\bpreview\b|테스트 ?(?:서버|환경)", groups=False)),
    ("canary", compiled(r"\bcanary\b|카나리", groups=False)),
)
END_OF = {True: RunEnd.FAILED, False: RunEnd.PASSED}
ARRIVED = compiled(r"\b[0-9a-f]{7,40}\.\.\.?[0-9a-f]{7,40} +\S+ -> \S+|\[new branch\]", groups=False)
QUIET = compiled(r" (?:-\w*q\w*|--quiet)\b", groups=False)
COMPLAINS = compiled(
    r"nothing (?:added )?to commit|no changes added|(?m:^(?:fatal|error|hint): )|rejected|CONFLICT|[Pp]ermission denied"
    r"|hook (?:declined|failed)|(?:exit|rc|status)[ =:]*[1-9]",
    groups=False,
)
UP_TO_DATE = "Everything up-to-date"
CLEAN = compiled(r"nothing to commit, working tree clean|\A## [^\n]+\n?\z", groups=False)
TRACKS = compiled(
    r"Your branch is up to date with '[^']+'|(?m:^## [\w./-]+\.\.\.[\w-]+/[\w./-]+$)"
    r"|(?m:^\* \S+ +[0-9a-f]+ \[[\w./-]+\])"
    r"|\(HEAD -> [^)\n]*\borigin/",
    groups=False,
)
MESSAGE = compiled(r"`([^`\n]{6,100})`|\"([^\"\n]{6,100})\"|'([^'\n]{6,100} [^'\n]{2,100})'")
COMMITTED_FILES = compiled(r"(?m:^ (\d{1,6}) files? changed)")
LEAVES_OUT = compiled(
    r"(?i:\b(?:not|n't|without|except|excluding|only|left|uncommitted|leaving)\b)|제외|빼고|뺀|않|아직|말고|만 커밋|남",
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
            stands = self._stands(claim)
            return stands or self._by_hand(claim) or self.answers.without_own(claim, found)
        if claim.fails:
            failed = [one for one in own if one.run.end is not RunEnd.PASSED]
            return self.answers.confirmed(claim, (failed or own)[-1])
        done = [
            one for one in own if (one.run.end is RunEnd.PASSED or _arrived(one) or _quiet(one)) and not one.run.dry
        ]
        if done:
            named = [name for one in claim.subjects if (name := named_path(one).lower())]
            right = [
                one
                for one in done
                if (not named or self._is_about(one, named, claim.kind))
                and not _is_of_other(claim, one)
                and not (one.place.startswith("/tmp/") and not self.timeline.is_work(one.place))  # noqa: S108
            ]
            if right:
                lacking = self._lacking(claim, own, done) if claim.kind is ClaimKind.COMMITTED else None
                return lacking or self.answers.confirmed(claim, right[-1])
            return self.answers.answer(claim, done[-1], ClaimReason.ELSEWHERE)
        one = own[-1]
        if one.run.dry:
            return self.answers.answer(claim, one, ClaimReason.RAN_NOTHING)
        if one.run.end is RunEnd.NOTHING:
            return self._stands(claim) or self.answers.ended(claim, one)
        return self.answers.ended(claim, one)

    def _stands(self, claim: Claim) -> CheckedClaim | None:
        """What git shows of a state that an earlier turn brought about: the commit is there, the branch is pushed."""
        if claim.kind not in (ClaimKind.COMMITTED, ClaimKind.PUSHED) or claim.fails:
            return None
        named = [name for word in claim.subjects if (name := named_path(word).lower())]
        identifiers = [name for name in named if HEXADECIMAL.fullmatch(name) is not None]
        edited = max((edit.at[0] for edit in self.timeline.edits if edit.own), default=-1)
        tried = [one.call.id for one in self.timeline.runs if one.own and one.run.kind is RunKind.COMMIT]
        committed = max((self.timeline.place(name) for name in tried), default=-1)
        for call, command in reversed(self.timeline.commands):
            at = self.timeline.place(call.id)
            if at < max(edited, committed):
                break
            if call.id in tried:
                continue
            text = git_text(command, call.working_directory, output_of(call)) if "git" in command else ""
            if not text:
                continue
            if claim.kind is ClaimKind.COMMITTED:
                by_name = edited < 0 and identifiers and all(name in text.lower() for name in identifiers)
                holds = by_name or (CLEAN.search(text) is not None and not identifiers and not tried)
            else:
                place = next((name for name in named if _is_place(name, claim.kind)), "")
                unsent = committed >= 0 or edited >= 0
                shown = TRACKS.search(text) is not None or UP_TO_DATE in text
                holds = shown and not unsent
                holds = holds and (not place or place.rpartition("/")[2] in f"{text} {command}" or UP_TO_DATE in text)
            if holds:
                run = Run(kind=DEEDS[claim.kind][0], tool="git", command=command[:1000], end=RunEnd.PASSED)
                return self.answers.confirmed(claim, RunAt(run, call, (at, 0), "", own=True))
        return None

    def _by_hand(self, claim: Claim) -> CheckedClaim | None:
        """A deployment or publication by a command that is known by its words alone."""
        words = BY_HAND.get(claim.kind)
        if words is None:
            return None
        last: CheckedClaim | None = None
        for call, command in self.timeline.commands:
            if words.search(command) is None or "dry-run" in command or call.ended_at is None:
                continue
            if any(words.search(said) is not None for said in doings(command)):
                failed = call.ok is False or (call.exit_status or 0) != 0
                run = Run(kind=DEEDS[claim.kind][0], tool="", command=command[:1000], end=END_OF[failed])
                one = RunAt(run, call, (0, 0), "", own=True)
                last = self._by_hand_of(claim, one, failed=failed)
        return last

    def _by_hand_of(self, claim: Claim, one: RunAt, *, failed: bool) -> CheckedClaim:
        if failed:
            return self.answers.answer(claim, one, ClaimReason.FAILED)
        named = [name for word in claim.subjects if (name := named_path(word).lower())]
        if _is_of_other(claim, one) or (named and not self._is_about(one, named, claim.kind)):
            return self.answers.answer(claim, one, ClaimReason.ELSEWHERE)
        return self.answers.confirmed(claim, one)

    def _lacking(self, claim: Claim, own: Sequence[RunAt], done: Sequence[RunAt]) -> CheckedClaim | None:
        """Why a claim of a commit does not hold: the one with this message failed, or a file is in none."""
        quoted = [match.group(1) or match.group(2) or match.group(3) for match in MESSAGE.finditer(claim.text)]
        told = [one for one in own if any(name in one.run.command for name in quoted if name)]
        if told and not any(one in done for one in told):
            return self.answers.answer(claim, told[-1], ClaimReason.FAILED)
        if LEAVES_OUT.search(claim.text) is not None:
            return None
        last = {edit.path: edit for edit in self.timeline.edits if edit.own and edit.path}
        named = {path for name in file_names(claim.text) for path in last if same_file(named_path(name), path)}
        named = {path for path in named if last[path].at < done[-1].at}
        sizes = [match.group(1) for one in done for match in COMMITTED_FILES.finditer(output_of(one.call))]
        if len(named) > 1 and len(sizes) >= len(done) and sum(map(int, sizes)) < len(named):
            return self.answers.answer(claim, done[-1], ClaimReason.OTHER_FIGURES)
        return None

    def _is_about(self, one: RunAt, named: Sequence[str], kind: ClaimKind) -> bool:
        """Whether what a claim names occurs in what was done; only commits and branches are told apart."""
        shown = f"{one.run.target}\n{one.run.command}\n{one.call.arguments}\n{output_of(one.call)}".lower()
        identifiers = [name for name in named if HEXADECIMAL.fullmatch(name) is not None]
        if identifiers:
            later = (output_of(call).lower() for call in self.timeline.own_calls)
            return any(name in shown for name in identifiers) or any(
                name in text for text in later for name in identifiers
            )
        places = [name.removeprefix("origin/") for name in named if _is_place(name, kind)]
        # "upstream/main" is "upstream main" in a command.
        told = any(name in shown or all(part in shown for part in name.split("/", 1)) for name in places)
        return not places or told or not _tells_place(one, places)


def _quiet(one: RunAt) -> bool:
    """Whether git, told to be quiet and followed by other commands, had nothing to complain of: it does, aloud."""
    if one.run.end is not RunEnd.MASKED or QUIET.search(one.run.command) is None:
        return False
    output = output_of(one.call)
    return one.call.output_size <= len(output) and COMPLAINS.search(output) is None


def environments(text: str) -> frozenset[str]:
    """The environments that a text names."""
    return frozenset(name for name, words in ENVIRONMENTS if words.search(text) is not None)


def _is_of_other(claim: Claim, one: RunAt) -> bool:
    """Whether a deployment went to another environment than the one that is claimed."""
    if claim.kind is not ClaimKind.DEPLOYED:
        return False
    said = environments(claim.text)
    shown = environments(f"{one.run.target} {one.run.command}") or environments(output_of(one.call))
    return bool(said and shown) and said.isdisjoint(shown)


def _is_place(name: str, kind: ClaimKind) -> bool:
    """Whether a name is that of a branch or an environment, where such a deed has one."""
    if kind in (ClaimKind.PUSHED, ClaimKind.MERGED):
        return name in BRANCHES or ("/" in name and "." not in name and not name.startswith("/"))
    return kind is ClaimKind.DEPLOYED and name in BRANCHES


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
