"""GitHub's REST API as far as pull requests go."""

from datetime import datetime
from typing import Any

from aiohttp import web

from tests.platforms.forge_server.project import Check, Comment, ForgeServer, Request

CONCLUSIONS = {"passed": "success", "failed": "failure", "skipped": "skipped"}


def stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


class GitHubServer(ForgeServer):
    """A GitHub Enterprise server: its API is below /api/v3."""

    prefix = "/api/v3"

    def authorized(self, request: web.Request) -> bool:
        return request.headers.get("Authorization") == f"Bearer {self.token}"

    def error(self, status: int, message: str) -> web.Response:
        headers = {"X-Accepted-GitHub-Permissions": "pull_requests=write"} if status == 403 else {}
        return web.json_response({"message": message, "status": str(status)}, status=status, headers=headers)

    async def answer(self, request: web.Request, path: str, body: Any) -> web.Response | None:
        if path == "user":
            return self.tagged(request, {"login": "mama-machine", "id": 1})
        root = f"repos/{self.project}"
        if path == root:
            rights = {"admin": False, "push": self.may_push, "pull": True}
            return self.tagged(request, {"full_name": self.project, "default_branch": "main", "permissions": rights})
        if not path.startswith(f"{root}/"):
            return None
        return self._within(request, path.removeprefix(f"{root}/").split("/"), body)

    def _within(self, request: web.Request, parts: list[str], body: Any) -> web.Response | None:
        match request.method, parts:
            case "GET", ["pulls"]:
                return self._listed(request)
            case "POST", ["pulls"]:
                return self._opened(body)
            case "GET", ["pulls", number] if int(number) in self.requests:
                return self.tagged(request, self._json(self.requests[int(number)], whole=True))
            case "GET", ["pulls", number, "comments"]:
                return self._comments(request, [each for each in self._of(number) if each.path], since=True)
            case "GET", ["issues", number, "comments"]:
                whole = [each for each in self._of(number) if not (each.path or each.opinion)]
                return self._comments(request, whole, since=True)
            case "GET", ["pulls", number, "reviews"]:
                return self._comments(request, [each for each in self._of(number) if each.opinion], since=False)
            case "GET", ["commits", commit, "check-runs"]:
                runs = [self._run(check) for check in self.checks.get(commit, []) if check.kind == "run"]
                return self.paged(request, runs, "check_runs")
            case "GET", ["actions", "runs"]:
                checks = self.checks.get(request.query["head_sha"], [])
                return self.paged(request, [self._run(check) for check in checks], "workflow_runs")
            case "GET", ["commits", commit, "status"]:
                statuses = [self._status(check) for check in self.checks.get(commit, []) if check.kind == "status"]
                return self.tagged(request, {"state": "pending", "sha": commit, "statuses": statuses})
            case _:
                return None

    def _of(self, number: str) -> list[Comment]:
        return self.comments.get(int(number), [])

    def _listed(self, request: web.Request) -> web.Response:
        owner, _, branch = request.query["head"].partition(":")
        assert owner == self.project.partition("/")[0]
        listed = [
            self._json(each)
            for each in self.requests.values()
            if each.branch == branch and each.state == request.query.get("state", "open")
        ]
        return self.paged(request, listed)

    def _opened(self, body: Any) -> web.Response:
        branch, target = body["head"], body["base"]
        if not self.head_of(branch) or not self.head_of(target):
            field = "base" if self.head_of(branch) else "head"
            errors = [{"resource": "PullRequest", "field": field, "code": "invalid"}]
            return web.json_response({"message": "Validation Failed", "errors": errors}, status=422)
        if self.head_of(branch) == self.head_of(target):
            return self._invalid(f"No commits between {target} and {branch}")
        if any(each.branch == branch and each.state == "open" for each in self.requests.values()):
            return self._invalid(f"A pull request already exists for team:{branch}.")
        made = self.new_request(
            title=body["title"], body=body["body"], branch=branch, target=target, draft=body.get("draft", False)
        )
        return web.json_response(self._json(made, whole=True), status=201)

    def _invalid(self, message: str) -> web.Response:
        errors = [{"resource": "PullRequest", "code": "custom", "message": message}]
        return web.json_response({"message": "Validation Failed", "errors": errors}, status=422)

    def _json(self, pull: Request, *, whole: bool = False) -> dict[str, Any]:
        merged = pull.state == "merged"
        value: dict[str, Any] = {
            "number": pull.number,
            "state": "open" if pull.state == "open" else "closed",
            "title": pull.title,
            "body": pull.body,
            "draft": pull.draft,
            "html_url": f"{self.origin}/{self.project}/pull/{pull.number}",
            "head": {"ref": pull.branch, "sha": self.head_of(pull.branch)},
            "base": {"ref": pull.target, "sha": self.head_of(pull.target)},
            "merged_at": "2026-01-02T00:00:00Z" if merged else None,
        }
        if whole:
            state = "dirty" if pull.conflicts else pull.mergeable or "clean"
            value |= {"merged": merged, "mergeable": not pull.conflicts, "mergeable_state": state}
        return value

    def _run(self, check: Check) -> dict[str, Any]:
        done = check.state in CONCLUSIONS
        return {
            "name": check.name,
            "status": "completed" if done else "in_progress",
            "conclusion": CONCLUSIONS.get(check.state),
            "html_url": f"{self.origin}/{self.project}/runs/{check.name}",
        }

    def _status(self, check: Check) -> dict[str, Any]:
        states = {"passed": "success", "failed": "failure", "pending": "pending"}
        return {"context": check.name, "state": states[check.state], "target_url": f"{self.origin}/ci/{check.name}"}

    def _comments(self, request: web.Request, comments: list[Comment], *, since: bool) -> web.Response:
        first = request.query.get("since", "") if since else ""
        listed = []
        for each in comments:
            if stamp(each.at) < first:
                continue
            value: dict[str, Any] = {
                "id": each.id,
                "user": {"login": each.author},
                "body": each.text,
                "html_url": f"{self.origin}/{self.project}/comments/{each.id}",
            }
            if each.opinion:
                value |= {"state": each.opinion.upper(), "submitted_at": stamp(each.at)}
            else:
                value |= {"created_at": stamp(each.at), "path": each.path or None, "line": each.line}
            listed.append(value)
        return self.paged(request, listed)
