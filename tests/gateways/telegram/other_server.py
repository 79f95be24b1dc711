"""A Bot API server as others write them: it answers with the least, keeps its files anywhere, and may repeat itself."""

import asyncio
import json
from typing import Self

from aiohttp import web
from pydantic import SecretStr

from mama_bot.config import TelegramSettings
from tests.gateways.telegram.harness import TOKEN
from tests.platforms.telegram_server import Json

BOT: Json = {"id": 1, "username": "mama_bot"}
PERSON: Json = {"id": 2001, "is_bot": False, "first_name": "Alice"}
PRIVATE: Json = {"id": 2001, "type": "private"}
FORUM: Json = {"id": -100500, "type": "supergroup", "is_forum": True}


class OtherServer:
    """One bot; `calls` are the methods that were called, `updates` what a poll is told."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Json]] = []
        self.updates: list[Json] = []
        self.missing: set[str] = set()
        self.files: dict[str, tuple[str, bytes]] = {}
        self.forgets = self.waits = True
        self._numbers = iter(range(100, 10_000))

    async def __aenter__(self) -> Self:
        application = web.Application()
        application.router.add_post(f"/bot{TOKEN}/{{method}}", self._call)
        application.router.add_get("/{place:file.*|elsewhere}/{name}", self._file)
        self._runner = web.AppRunner(application, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    def settings(self, **more: object) -> TelegramSettings:
        values = {"token": SecretStr(TOKEN), "api_url": f"{self.url}/bot", "files_url": f"{self.url}/file/bot"}
        return TelegramSettings.model_validate(values | {"poll_seconds": 1} | more)

    def called(self, method: str) -> list[Json]:
        return [values for name, values in self.calls if name == method]

    def push(self, **update: object) -> None:
        self.updates.append({"update_id": next(self._numbers), **update})

    def say(self, text: str, *, chat: Json = PRIVATE, **more: object) -> Json:
        message = {"message_id": next(self._numbers), "date": 1, "chat": chat, "from": PERSON, "text": text, **more}
        self.push(message=message)
        return message

    async def _call(self, request: web.Request) -> web.Response:
        method, values = request.match_info["method"], dict(await request.post())
        self.calls.append((method, values))
        if method in self.missing:
            return web.json_response({"ok": False, "description": "Not Found: method not found"}, status=404)
        match method:
            case "getUpdates":
                return await self._poll(int(str(values.get("offset", 0))), float(str(values.get("timeout", 0))))
            case "getMe":
                result: object = BOT
            case "getFile":
                result = {"file_path": self.files[str(values["file_id"])][0]}
            case "createForumTopic":
                result = {"message_thread_id": next(self._numbers)}
            case _ if method.startswith("send") and method != "sendChatAction":
                result = {"message_id": next(self._numbers)}
            case _:
                result = True
        return web.json_response({"ok": True, "result": result})

    async def _poll(self, offset: int, seconds: float) -> web.Response:
        if self.forgets:
            self.updates = [
                one for one in self.updates if not isinstance(one["update_id"], int) or one["update_id"] >= offset
            ]
        for _ in range(int(seconds * 50) if self.waits else 0):
            if self.updates:
                break
            await asyncio.sleep(0.02)
        return web.Response(text=json.dumps({"ok": True, "result": self.updates[:100]}))

    async def _file(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        return web.Response(body=next(content for path, content in self.files.values() if path.endswith(f"/{name}")))
