"""GitLab's REST API as far as merge requests go."""

from typing import Any
from urllib.parse import quote

from aiohttp import web

from tests.platforms.forge_server.project import Check, Comment, ForgeServer, Request

STATUSES = {"passed": "success", "failed": "failed", "pending": "running", "skipped": "skipped"}
SYSTEM = {"approved": "approved this merge request", "changes_requested": "requested changes"}


class GitLabServer(ForgeServer):
    """A GitLab that somebody runs: its API is below /api/v4, and a project's path is one part of a path there."""

    prefix = "/api/v4"

    def authorized(self, request: web.Request) -> bool:
        return request.headers.get("PRIVATE-TOKEN") == self.token

    def error(self, status: int, message: str) -> web.Response:
        return web.json_response({"message": f"{status} {message}"}, status=status)

    async def answer(self, request: web.Request, path: str, body: Any) -> web.Response | None:
        if path == "user":
            return self.tagged(request, {"username": "mama-machine", "id": 1})
        root = f"projects/{quote(self.project, safe='')}"
        if path == root:
            level = {"access_level": 40 if self.may_push else 20}
            rights = {"project_access": level, "group_access": None}
            return self.tagged(request, {"default_branch": "main", "permissions": rights})
        if not path.startswith(f"{root}/"):
            return None
        return self._within(request, path.removeprefix(f"{root}/").split("/"), body)

    def _within(self, request: web.Request, parts: list[str], body: Any) -> web.Response | None:
        match request.method, parts:
            case "GET", ["merge_requests"]:
                return self._listed(request)
            case "POST", ["merge_requests"]:
                return self._opened(body)
            case "GET", ["merge_requests", number] if int(number) in self.requests:
                return self.tagged(request, self._json(self.requests[int(number)]))
            case "GET", ["merge_requests", number, "notes"]:
                notes = [self._note(each) for each in self.comments.get(int(number), [])]
                pushed = {"id": 1, "body": "added 1 commit", "system": True, "created_at": "2026-01-01T00:00:00.000Z"}
                return self.paged(request, [pushed, *notes])
            case "GET", ["repository", "commits", commit, "statuses"]:
                checks = self.checks.get(commit, [])
                return self.paged(request, [self._status(number, each) for number, each in enumerate(checks)])
            case _:
                return None

    def _listed(self, request: web.Request) -> web.Response:
        listed = [
            self._json(each)
            for each in self.requests.values()
            if each.branch == request.query["source_branch"]
            and (each.state == "open") == (request.query["state"] == "opened")
        ]
        return self.paged(request, listed)

    def _opened(self, body: Any) -> web.Response:
        branch, target = body["source_branch"], body["target_branch"]
        missing = next((name for name in (branch, target) if not self.head_of(name)), "")
        if missing:
            kind = "Source" if missing == branch else "Target"
            return web.json_response({"message": {"base": [f'{kind} branch "{missing}" does not exist']}}, status=400)
        for each in self.requests.values():
            if each.branch == branch and each.state == "open":
                told = f"Another open merge request already exists for this source branch: !{each.number}"
                return web.json_response({"message": [told]}, status=409)
        title = body["title"].removeprefix("Draft: ")
        made = self.new_request(
            title=body["title"],
            body=body["description"],
            branch=branch,
            target=target,
            draft=title != body["title"],
        )
        return web.json_response(self._json(made), status=201)

    def _json(self, request: Request) -> dict[str, Any]:
        status = "conflict" if request.conflicts else request.mergeable or "mergeable"
        return {
            "id": 9_000 + request.number,
            "iid": request.number,
            "state": "opened" if request.state == "open" else request.state,
            "title": request.title,
            "description": request.body,
            "draft": request.draft,
            "web_url": f"{self.origin}/{self.project}/-/merge_requests/{request.number}",
            "source_branch": request.branch,
            "target_branch": request.target,
            "sha": self.head_of(request.branch),
            "has_conflicts": request.conflicts,
            "detailed_merge_status": status,
        }

    def _status(self, number: int, check: Check) -> dict[str, Any]:
        return {
            "id": number,
            "name": check.name,
            "status": STATUSES[check.state],
            "allow_failure": check.may_fail,
            "target_url": f"{self.origin}/{self.project}/-/jobs/{check.name}",
        }

    def _note(self, comment: Comment) -> dict[str, Any]:
        value: dict[str, Any] = {
            "id": comment.id,
            "author": {"username": comment.author},
            "body": SYSTEM.get(comment.opinion, comment.text),
            "system": bool(comment.opinion),
            "created_at": comment.at.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        }
        if comment.path:
            value["position"] = {"new_path": comment.path, "new_line": comment.line}
        return value
