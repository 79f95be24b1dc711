"""What a person does with their own words on the page: edit and delete a message that waits, search."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mama_bot.gateways.web.events import LivePages
from mama_bot.gateways.web.json_answers import JsonAnswer
from mama_bot.gateways.web.json_views import message_view, summary_view
from mama_bot.gateways.web.refusals import refusal
from mama_bot.gateways.web.request_bodies import (
    NewText,
    Nothing,
    body_of,
    checked_identifier,
    checked_text,
)
from mama_bot.model import Author, ConversationKey, InboundMessage, MessageId, Platform
from mama_bot.protocols import Clock, ConversationHistory, Inlet

MOST_FOUND = 50
MOST_SEARCHED_CHARACTERS = 200
TOO_LATE = "Its work has begun, or it waits no more: send what you want to say as a new message."


class OwnWords:
    """The endpoints of what a person wrote on the page."""

    def __init__(
        self,
        *,
        platform: Platform,
        person: Author,
        inlet: Inlet,
        history: ConversationHistory,
        pages: LivePages,
        clock: Clock,
        max_characters: int,
    ) -> None:
        self._platform = platform
        self._person = person
        self._inlet = inlet
        self._history = history
        self._pages = pages
        self._clock = clock
        self._max_characters = max_characters

    def routes(self) -> list[Route]:
        """Return the routes of these endpoints."""
        message = "/api/conversations/{id}/messages/{message}"
        return [
            Route(message, self._revise, methods=["PUT"]),
            Route(message, self._withdraw, methods=["DELETE"]),
            Route("/api/search", self._search),
        ]

    async def _revise(self, request: Request) -> Response:
        key, message_id = self._place(request)
        body = await body_of(request, NewText, max_characters=self._max_characters)
        old = await self._history.message(key, message_id)
        message = InboundMessage(
            id=message_id,
            key=key,
            author=self._person,
            text=checked_text(
                body.text, max_characters=self._max_characters, may_be_empty=bool(old and old.attachments)
            ),
            received_at=self._clock.now(),
            attachments=old.attachments if old is not None else (),
        )
        request.state.language = message.language
        if not await self._inlet.revise(message):
            return refusal(409, "too_late", TOO_LATE)
        revised = await self._history.message(key, message_id) or message
        self._pages.publish("message", {"conversation": key.channel, "message": message_view(revised)})
        return JsonAnswer({"revised": True})

    async def _withdraw(self, request: Request) -> Response:
        key, message_id = self._place(request)
        await body_of(request, Nothing, max_characters=0)
        if not await self._inlet.withdraw(key, message_id):
            return refusal(409, "too_late", TOO_LATE)
        self._pages.publish("withdrawn", {"conversation": key.channel, "message": message_id})
        return JsonAnswer({"withdrawn": True})

    async def _search(self, request: Request) -> Response:
        words = request.query_params.get("text", "").strip()[:MOST_SEARCHED_CHARACTERS]
        matches = await self._history.search(self._platform, words, MOST_FOUND) if words else ()
        return JsonAnswer({"conversations": [summary_view(summary) for summary in matches]})

    def _place(self, request: Request) -> tuple[ConversationKey, MessageId]:
        key = ConversationKey(self._platform, checked_identifier(request.path_params["id"], "conversation"))
        return key, MessageId(checked_identifier(request.path_params["message"], "message"))
