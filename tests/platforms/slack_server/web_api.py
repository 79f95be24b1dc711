"""The methods of the Web API: each takes the app that calls and its arguments, and answers or raises Refused."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.platforms.slack_server.workspace import JsonObject, Refused, SlackApp, Workspace, check_content, stamp

Method = Callable[[SlackApp, JsonObject], JsonObject]

# Any one of these scopes is enough.
SCOPES: Mapping[str, Sequence[str]] = {
    "chat.postMessage": ("chat:write",),
    "chat.postEphemeral": ("chat:write",),
    "chat.update": ("chat:write",),
    "chat.delete": ("chat:write",),
    "conversations.open": ("im:write",),
    "conversations.history": ("channels:history", "im:history"),
    "conversations.replies": ("channels:history", "im:history"),
    "users.info": ("users:read",),
    "bots.info": ("users:read",),
    "files.getUploadURLExternal": ("files:write",),
    "files.completeUploadExternal": ("files:write",),
    "reactions.add": ("reactions:write",),
    "reactions.remove": ("reactions:write",),
    "assistant.threads.setStatus": ("assistant:write", "chat:write"),
}
_LISTED_BY: Mapping[str, str] = {
    "public_channel": "channels:read",
    "private_channel": "groups:read",
    "im": "im:read",
    "mpim": "mpim:read",
}
_KEPT = ("text", "blocks", "thread_ts", "metadata")
PAGE = 1000


class WebApi:
    """Answers calls on a workspace; `statuses` holds what `assistant.threads.setStatus` showed, oldest first."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.uploads: dict[str, JsonObject] = {}
        self.statuses: list[JsonObject] = []
        self.reactions: list[JsonObject] = []
        self.address = ""
        self._methods: Mapping[str, Method] = {
            "auth.test": self._auth_test,
            "users.info": self._users_info,
            "bots.info": self._bots_info,
            "conversations.info": self._conversations_info,
            "conversations.members": self._members,
            "conversations.open": self._open,
            "users.conversations": self._users_conversations,
            "conversations.history": self._history,
            "conversations.replies": self._replies,
            "chat.postMessage": self._post,
            "chat.postEphemeral": self._post_ephemeral,
            "chat.update": self._update,
            "chat.delete": self._delete,
            "files.getUploadURLExternal": self._upload_url,
            "files.completeUploadExternal": self._complete_upload,
            "reactions.add": self._react,
            "reactions.remove": self._unreact,
            "assistant.threads.setStatus": self._set_status,
            "views.open": self._open_view,
        }

    def call(self, method: str, app: SlackApp, arguments: JsonObject) -> JsonObject:
        """What a call answers; raises Refused."""
        if method not in self._methods:
            raise Refused("unknown_method", req_method=method)
        needed = SCOPES.get(method, ())
        if needed and not set(needed) & set(app.scopes):
            raise Refused("missing_scope", needed=needed[0], provided=",".join(app.scopes))
        return self._methods[method](app, arguments)

    def _auth_test(self, app: SlackApp, arguments: JsonObject) -> JsonObject:
        return {
            "url": "https://team.slack.example/",
            "team": "Team",
            "user": app.name,
            "team_id": self._workspace.team_id,
            "user_id": app.user_id,
            "bot_id": app.bot_id,
            "is_enterprise_install": False,
        }

    def _users_info(self, app: SlackApp, arguments: JsonObject) -> JsonObject:
        user = self._workspace.users.get(str(arguments.get("user")))
        if user is None:
            raise Refused("user_not_found")
        return {"user": user}

    def _bots_info(self, app: SlackApp, arguments: JsonObject) -> JsonObject:
        for one in self._workspace.apps.values():
            if one.bot_id == arguments.get("bot"):
                bot = {"id": one.bot_id, "app_id": one.app_id, "user_id": one.user_id, "name": one.name}
                return {"bot": bot}
        raise Refused("bot_not_found")

    def _conversations_info(self, app: SlackApp, arguments: JsonObject) -> JsonObject:
        channel = self._workspace.channels.get(str(arguments.get("channel")))
        if channel is None:
            raise Refused("channel_not_found")
        member = app.user_id in channel.members
        about = {"id": channel.id, "name": channel.name, "is_im": channel.direct, "is_archived": channel.archived}
        return {"channel": about | {"is_channel": not channel.direct, "is_member": member}}

    def _members(self, app: SlackApp, arguments: JsonObject) -> JsonObject:
        channel = self._workspace.open_channel(arguments.get("channel"), app)
        return {"members": sorted(channel.members), "response_metadata": {"next_cursor": ""}}

    def _open(self, app: SlackApp, arguments: JsonObject) -> JsonObject:
        user = str(arguments.get("users", ""))
        if user not in self._workspace.users:
            raise Refused("user_not_found")
        return {"channel": {"id": self._workspace.direct_channel(user, app).id}, "no_op": False}

    def _users_conversations(self, app: SlackApp, arguments: JsonObject) -> JsonObject:
        kinds = str(arguments.get("types") or "public_channel").split(",")
        for kind in kinds:
            if (needed := _LISTED_BY[kind]) not in app.scopes:
                raise Refused("missing_scope", needed=needed, provided=",".join(app.scopes))
        listed = [
            {"id": channel.id, "is_im": channel.direct, "is_archived": channel.archived}
            for channel in self._workspace.channels.values()
            if app.user_id in channel.members and ("im" if channel.direct else "public_channel") in kinds
        ]
        begin = int(arguments.get("cursor") or 0)
        end = begin + int(arguments.get("limit") or 100)
        return {
            "channels": listed[begin:end],
            "response_metadata": {"next_cursor": str(end) if end < len(listed) else ""},
        }

    def _history(self, app: SlackApp, arguments: JsonObject) -> JsonObject:
        channel = self._workspace.open_channel(arguments.get("channel"), app)
        return self._page(self._workspace.history(channel.id), arguments)

    def _replies(self, app: SlackApp, arguments: JsonObject) -> JsonObject:
        channel = self._workspace.open_channel(arguments.get("channel"), app)
        found = self._workspace.thread(channel.id, str(arguments.get("ts")))
        if not found:
            raise Refused("thread_not_found")
        return self._page(found, arguments)

    def _page(self, messages: Sequence[JsonObject], arguments: JsonObject) -> JsonObject:
        first, last = (stamp({"ts": arguments[name]}) if arguments.get(name) else None for name in ("oldest", "latest"))
        if str(arguments.get("inclusive", "")).lower() in {"1", "true"}:
            wanted = [one for one in messages if (first or (0, 0)) <= stamp(one) <= (last or stamp(one))]
        else:
            wanted = [one for one in messages if stamp(one) > (first or (0, 0)) and (not last or stamp(one) < last)]
        begin = int(arguments.get("cursor") or 0)
        end = begin + min(int(arguments.get("limit") or 100), PAGE)
        more = end < len(wanted)
        whole = str(arguments.get("include_all_metadata", "")).lower() in {"1", "true"}
        shown = [one if whole else {k: v for k, v in one.items() if k != "metadata"} for one in wanted[begin:end]]
        return {
            "messages": shown,
            "has_more": more,
            "response_metadata": {"next_cursor": str(end) if more else ""},
        }

    def _post(self, app: SlackApp, arguments: JsonObject) -> JsonObject:
        channel = self._workspace.open_channel(arguments.get("channel"), app)
        if channel.archived:
            raise Refused("is_archived")
        check_content(arguments)
        message: JsonObject = {name: arguments[name] for name in _KEPT if arguments.get(name)}
        for name, value in (("text", ""), ("user", app.user_id), ("bot_id", app.bot_id), ("app_id", app.app_id)):
            message.setdefault(name, value)
        if "chat:write.customize" in app.scopes and arguments.get("username"):
            icons: JsonObject = {name: arguments[name] for name in ("icon_url", "icon_emoji") if arguments.get(name)}
            message |= {"subtype": "bot_message", "username": arguments["username"], "icons": icons}
        made = self._workspace.add_message(channel, message)
        return {"channel": channel.id, "ts": made["ts"], "message": made}

    def _post_ephemeral(self, app: SlackApp, arguments: JsonObject) -> JsonObject:
        channel = self._workspace.open_channel(arguments.get("channel"), app)
        check_content(arguments)
        user = str(arguments.get("user"))
        if user not in channel.members:
            raise Refused("user_not_in_channel")
        thread = str(arguments.get("thread_ts") or "")
        blocks = arguments.get("blocks") or ()
        shown = self._workspace.show_to(user, channel.id, arguments["text"], thread=thread, blocks=blocks)
        return {"message_ts": shown}

    def _own(self, app: SlackApp, arguments: JsonObject, error: str) -> JsonObject:
        channel = self._workspace.open_channel(arguments.get("channel"), app)
        message = self._workspace.message(channel.id, arguments.get("ts"))
        if message.get("bot_id") != app.bot_id:
            raise Refused(error)
        return message

    def _update(self, app: SlackApp, arguments: JsonObject) -> JsonObject:
        message = self._own(app, arguments, "cant_update_message")
        check_content(arguments)
        changes: JsonObject = {name: arguments[name] for name in ("text", "blocks", "metadata") if name in arguments}
        channel = self._workspace.channels[str(arguments["channel"])]
        self._workspace.change_message(channel, message["ts"], changes, by=app.user_id)
        return {"channel": channel.id, "ts": message["ts"], "text": message["text"]}

    def _delete(self, app: SlackApp, arguments: JsonObject) -> JsonObject:
        message = self._own(app, arguments, "cant_delete_message")
        self._workspace.delete_message(self._workspace.channels[str(arguments["channel"])], message["ts"])
        return {"channel": arguments["channel"], "ts": message["ts"]}

    def _upload_url(self, app: SlackApp, arguments: JsonObject) -> JsonObject:
        if not arguments.get("filename") or int(arguments.get("length") or 0) <= 0:
            raise Refused("invalid_arguments")
        file_id = f"F{self._workspace.next_number():06d}"
        self.uploads[file_id] = {
            "id": file_id,
            "name": arguments["filename"],
            "size": int(arguments["length"]),
            "user": app.user_id,
            "content": None,
        }
        return {"upload_url": f"{self.address}/upload/{file_id}", "file_id": file_id}

    def _complete_upload(self, app: SlackApp, arguments: JsonObject) -> JsonObject:
        files = []
        for one in arguments.get("files") or []:
            upload = self.uploads.get(one.get("id"))
            if upload is None or upload["content"] is None:
                raise Refused("file_not_found")
            upload["title"] = one.get("title") or upload["name"]
            files.append(self.public(upload))
        if not files:
            raise Refused("invalid_arguments")
        if arguments.get("channel_id"):
            channel = self._workspace.open_channel(arguments["channel_id"], app)
            message = {
                "subtype": "file_share",
                "text": arguments.get("initial_comment") or "",
                "files": files,
                "user": app.user_id,
                "bot_id": app.bot_id,
                "app_id": app.app_id,
            }
            thread = {"thread_ts": arguments["thread_ts"]} if arguments.get("thread_ts") else {}
            self._workspace.add_message(channel, message | thread)
        return {"files": [{"id": file["id"], "title": file["title"]} for file in files]}

    def public(self, upload: Mapping[str, Any]) -> JsonObject:
        """What a message tells of a file."""
        about = {name: value for name, value in upload.items() if name != "content"}
        address = f"{self.address}/files/{upload['id']}"
        return about | {"url_private": address, "url_private_download": address, "mode": "hosted"}

    def _react(self, app: SlackApp, arguments: JsonObject) -> JsonObject:
        mark = self._reaction(app, arguments)
        if mark in self.reactions:
            raise Refused("already_reacted")
        self.reactions.append(mark)
        return {}

    def _unreact(self, app: SlackApp, arguments: JsonObject) -> JsonObject:
        mark = self._reaction(app, arguments)
        if mark not in self.reactions:
            raise Refused("no_reaction")
        self.reactions.remove(mark)
        return {}

    def _reaction(self, app: SlackApp, arguments: JsonObject) -> JsonObject:
        channel, stamp = str(arguments.get("channel")), arguments.get("timestamp")
        self._workspace.message(channel, stamp)
        return {"channel": channel, "timestamp": stamp, "name": arguments.get("name"), "user": app.user_id}

    def _set_status(self, app: SlackApp, arguments: JsonObject) -> JsonObject:
        self._workspace.open_channel(arguments.get("channel_id"), app)
        if not arguments.get("thread_ts"):
            raise Refused("invalid_arguments")
        self.statuses.append(arguments)
        return {}

    def _open_view(self, app: SlackApp, arguments: JsonObject) -> JsonObject:
        if not arguments.get("trigger_id"):
            raise Refused("invalid_trigger_id")
        return {"view": {"id": f"V{self._workspace.next_number():06d}"}}
