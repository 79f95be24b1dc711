"""The page over HTTP: its files, its history, its messages and its stream of events."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import cast

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, ExceptionHandler, Receive, Scope, Send

from mama_bot.config import WebSettings
from mama_bot.gateways.web.access_panel import AccessPanel
from mama_bot.gateways.web.change_views import diff_view
from mama_bot.gateways.web.entrance import Entrance
from mama_bot.gateways.web.error_answers import ANSWERS
from mama_bot.gateways.web.events import HEARTBEAT_SECONDS, LivePages, LiveTurns, send_events
from mama_bot.gateways.web.guard import Guard
from mama_bot.gateways.web.health import Health
from mama_bot.gateways.web.hook_endpoint import HOOKS, HookEndpoint
from mama_bot.gateways.web.json_answers import JsonAnswer
from mama_bot.gateways.web.json_views import (
    conversation_view,
    draft_view,
    limits_view,
    message_view,
    persona_view,
    summary_view,
    trial_view,
)
from mama_bot.gateways.web.metric_views import counters_view, measures_view
from mama_bot.gateways.web.own_words import OwnWords
from mama_bot.gateways.web.refusals import refusal
from mama_bot.gateways.web.request_bodies import (
    NewCommand,
    NewMessage,
    NewReport,
    NewTrial,
    Nothing,
    RequestRefused,
    Settlement,
    body_of,
    checked_identifier,
    checked_limit,
    checked_text,
)
from mama_bot.gateways.web.sentences import NO_SETTINGS
from mama_bot.gateways.web.sessions import Sessions
from mama_bot.gateways.web.uploads import FILE_LIMITS, WebFiles
from mama_bot.metrics import Metrics
from mama_bot.model import (
    ARGUMENTS,
    DESCRIPTIONS,
    KOREAN_NAMES,
    PAGE,
    AgentPersona,
    Author,
    Command,
    ConversationKey,
    InboundMessage,
    MessageId,
    Origin,
    OwnText,
    PostId,
    RepositoryView,
    TreeDiff,
    TurnId,
)
from mama_bot.protocols import Clock, ConversationHistory, HookDesk, Inlet, Measurements, TextJudge, VerdictReports
from mama_bot.wording import Language, Said

PLATFORM = PAGE
PERSON = Author(id="web", name="Person")
MAX_CONVERSATIONS = 200
DEFAULT_MESSAGES = 100
MAX_MESSAGES = 2_000
MAX_REPORT_CHARACTERS = 10_000  # a note that is too long is refused by whoever keeps it, with its own sentence
MAX_COMMAND_CHARACTERS = 10_000
MAX_JUDGED_CHARACTERS = 20_000
MAX_RECORD_CHARACTERS = 300_000
DEFAULT_DAYS = 30
MAX_DAYS = 3_650


def _in_each_language(sentence: Said) -> dict[str, str]:
    return {language.value: sentence.to(language) for language in Language}


COMMANDS = [
    {
        "name": name.value,
        "about": _in_each_language(about),
        "argument": name in ARGUMENTS,
        "korean": [word for word, meant in KOREAN_NAMES.items() if meant is name],
    }
    for name, about in DESCRIPTIONS.items()
]


# Tells in which repository a conversation works; None where that is not known.
WorkPlace = Callable[[ConversationKey], Awaitable[RepositoryView | None]]


# Tells what a change of a conversation changed, or all of its work ("all"); None where that is not known.
DiffOf = Callable[[ConversationKey, str], Awaitable[TreeDiff | None]]


async def no_diff(key: ConversationKey, change: str) -> None:
    """Return that nothing is known of what was changed."""
    del key, change


async def nowhere(key: ConversationKey) -> RepositoryView | None:
    """Return that nothing is known of where a conversation works."""
    del key
    return None


# Reads the settings again; returns whether they were taken, what to say of it, and the keys that wait for a restart.
ReloadSettings = Callable[[], Awaitable[tuple[bool, Said, Sequence[str]]]]


async def unread() -> tuple[bool, Said, Sequence[str]]:
    """Return that there are no settings to read again."""
    return False, NO_SETTINGS, ()


class WebApplication:
    """The endpoints of the page."""

    def __init__(
        self,
        *,
        settings: WebSettings,
        personas: Sequence[AgentPersona],
        history: ConversationHistory,
        reports: VerdictReports,
        measurements: Measurements,
        judge: TextJudge,
        metrics: Metrics,
        inlet: Inlet,
        clock: Clock,
        new_id: Callable[[], str],
        banner: Said | None,
        demo_repository: bool,
        warning: Said | None,
        repository: WorkPlace,
        diff_of: DiffOf,
        pages: LivePages,
        live: LiveTurns,
        sessions: Sessions,
        files: WebFiles,
        health: Health,
        access: AccessPanel,
        hooks: HookDesk,
        reload: ReloadSettings,
    ) -> None:
        self._settings = settings
        self._personas = personas
        self._history = history
        self._reports = reports
        self._measurements = measurements
        self._chain = judge
        self._counters = metrics
        self._inlet = inlet
        self._clock = clock
        self._new_id = new_id
        self._banner, self._warning = banner, warning
        self._demo_repository = demo_repository
        self._repository = repository
        self._diff_of = diff_of
        self._pages = pages
        self._live = live
        self._sessions = sessions
        self._files = files
        self._reload = reload
        self._health_of = health
        self._access = access
        self._own_words = OwnWords(
            platform=PLATFORM,
            person=PERSON,
            inlet=inlet,
            history=history,
            pages=pages,
            clock=clock,
            max_characters=settings.max_message_characters,
        )
        self._hook = HookEndpoint(desk=hooks, inlet=inlet)
        self._entrance = Entrance(sessions=sessions)

    def asgi(self) -> ASGIApp:
        """Return the application under its guard."""
        routes = [
            *self._entrance.routes(),
            Route("/healthz", self._health),
            Route("/readyz", self._ready),
            Route("/api/state", self._state),
            Route("/api/events", _Events(self._pages)),
            Route("/api/conversations", self._new_conversation, methods=["POST"]),
            Route("/api/conversations/{id}", self._conversation),
            Route("/api/conversations/{id}/messages", self._message, methods=["POST"]),
            Route("/api/conversations/{id}/messages/{message}/files", self._upload, methods=["POST"]),
            Route("/api/conversations/{id}/files", self._download),
            Route("/api/conversations/{id}/stop", self._stop, methods=["POST"]),
            Route("/api/conversations/{id}/commands", self._command, methods=["POST"]),
            Route("/api/conversations/{id}/reports", self._report, methods=["POST"]),
            Route("/api/conversations/{id}/turns/{turn}/attempts/{attempt}", self._attempt),
            Route("/api/conversations/{id}/changes/{change}", self._change),
            Route("/api/access", self._settle, methods=["POST"]),
            Route("/api/metrics", self._metrics),
            Route("/api/reload", self._reload_settings, methods=["POST"]),
            Route(f"{HOOKS}{{name}}", self._hook_delivery, methods=["POST"]),
            Route("/api/judge", self._judge, methods=["POST"]),
            *self._own_words.routes(),
        ]
        application = Starlette(
            routes=routes, exception_handlers=cast("Mapping[type[Exception], ExceptionHandler]", ANSWERS)
        )
        return Guard(application, sessions=self._sessions)

    async def _health(self, request: Request) -> Response:
        status, view = self._health_of.hears(details=self._sessions.signed_in(request))
        return JsonAnswer(view, status_code=status)

    async def _ready(self, request: Request) -> Response:
        status, view = self._health_of.works(details=self._sessions.signed_in(request))
        return JsonAnswer(view, status_code=status)

    async def _hook_delivery(self, request: Request) -> Response:
        return await self._hook(request)

    async def _state(self, _request: Request) -> Response:
        settings = self._health_of.refused_settings()
        conversations = await self._history.conversations(PLATFORM, MAX_CONVERSATIONS)
        queue = await self._history.queue()
        return JsonAnswer(
            {
                "team": [persona_view(persona) for persona in self._personas],
                "banner": self._banner and _in_each_language(self._banner),
                "demo_repository": self._demo_repository,
                "warning": self._warning and _in_each_language(self._warning),
                "settings": settings and _in_each_language(settings),
                "limits": {**limits_view(self._settings.max_message_characters, queue), **FILE_LIMITS},
                "commands": COMMANDS,
                "gateways": self._health_of.gateways(),
                "access": await self._access.view(),
                "queue": asdict(queue),
                "conversations": [summary_view(summary) for summary in conversations],
                "working": self._live.working(),
                "now": self._clock.now().isoformat(),
            }
        )

    async def _new_conversation(self, request: Request) -> Response:
        await body_of(request, Nothing, max_characters=0)
        return JsonAnswer({"id": checked_identifier(self._new_id(), "conversation")}, status_code=201)

    async def _conversation(self, request: Request) -> Response:
        key = _key(request)
        limit = checked_limit(request.query_params.get("limit"), default=DEFAULT_MESSAGES, maximum=MAX_MESSAGES)
        view, place = await self._history.view(key, limit), await self._repository(key)
        where = {"name": place.name, "in_place": place.in_place} if place is not None else None
        live = self._live.of(key.channel)
        return JsonAnswer({**conversation_view(view), "live": live, "limit": limit, "repository": where})

    async def _message(self, request: Request) -> Response:
        key = _key(request)
        limit = self._settings.max_message_characters
        body = await body_of(request, NewMessage, max_characters=limit)
        message_id = MessageId(checked_identifier(body.id, "message"))
        message = InboundMessage(
            id=message_id,
            key=key,
            author=PERSON,
            text=checked_text(body.text, max_characters=limit, may_be_empty=bool(body.files)),
            received_at=self._clock.now(),
            attachments=self._files.of_message(key, message_id, body.files),
        )
        request.state.language = body.language if message.language == Language.ENGLISH else message.language
        stored = await self._inlet.deliver(message)
        self._files.forget(key, message_id)
        if stored:
            self._pages.publish("message", {"conversation": key.channel, "message": message_view(message)})
        return JsonAnswer({"id": message.id, "stored": stored}, status_code=202)

    async def _upload(self, request: Request) -> Response:
        message_id = MessageId(checked_identifier(request.path_params["message"], "message"))
        return JsonAnswer(await self._files.keep(request, _key(request), message_id), status_code=201)

    async def _download(self, request: Request) -> Response:
        return await self._files.serve(request, _key(request))

    async def _reload_settings(self, request: Request) -> Response:
        await body_of(request, Nothing, max_characters=0)
        taken, sentence, waiting = await self._reload()
        return JsonAnswer({"taken": taken, "text": _in_each_language(sentence), "waiting": list(waiting)})

    async def _settle(self, request: Request) -> Response:
        body = await body_of(request, Settlement, max_characters=1_000)
        settled = await self._access.settle(body.code.strip(), approve=body.approve, by=PERSON.name)
        if settled is None:
            raise HTTPException(404, "No chat platform is configured.")
        return JsonAnswer(settled)

    async def _stop(self, request: Request) -> Response:
        await body_of(request, Nothing, max_characters=0)
        return JsonAnswer({"stopped": await self._inlet.stop(_key(request), PERSON.name)})

    async def _command(self, request: Request) -> Response:
        body = await body_of(request, NewCommand, max_characters=MAX_COMMAND_CHARACTERS)
        command = Command(
            name=body.name,
            key=_key(request),
            author=PERSON,
            origin=Origin(direct=True),
            argument=body.argument,
            language=body.language,
            post_id=PostId(body.post_id) if body.post_id else None,
        )
        request.state.language = body.language
        answer = await self._inlet.command(command)
        offers = [{"name": each.name.value, "argument": each.argument, "label": each.label} for each in answer.offers]
        return JsonAnswer({"text": answer.text, "done": answer.done, "offers": offers})

    async def _report(self, request: Request) -> Response:
        body = await body_of(request, NewReport, max_characters=MAX_REPORT_CHARACTERS)
        report = await self._reports.report_attempt(
            _key(request), TurnId(body.turn_id), body.attempt, reporter=PERSON, note=body.note
        )
        return JsonAnswer({"number": report.number, "state": report.state.value}, status_code=201)

    async def _attempt(self, request: Request) -> Response:
        """Answer with the words of a draft: the only place that shows those of a rejected one, and only when asked."""
        turn_id = TurnId(request.path_params["turn"])
        attempt = await self._history.attempt(_key(request), turn_id, _number(request.path_params["attempt"]))
        if attempt is None:
            raise HTTPException(404, "This conversation has no such attempt.")
        return JsonAnswer(draft_view(attempt))

    async def _change(self, request: Request) -> Response:
        """Answer with what a turn or an undo changed, or ("all") all of the work of a conversation."""
        diff = await self._diff_of(_key(request), request.path_params["change"])
        if diff is None:
            raise HTTPException(404, "This conversation has no such change.")
        return JsonAnswer(diff_view(diff))

    async def _judge(self, request: Request) -> Response:
        body = await body_of(request, NewTrial, max_characters=MAX_JUDGED_CHARACTERS + MAX_RECORD_CHARACTERS)
        request.state.language = body.language
        text = checked_text(body.text, max_characters=MAX_JUDGED_CHARACTERS)
        if len(body.record) > MAX_RECORD_CHARACTERS:
            sentence = f"The record has {len(body.record):,} characters; {MAX_RECORD_CHARACTERS:,} are allowed."
            raise RequestRefused(status=422, code="record_too_long", sentence=sentence)
        given = OwnText(text=text, record=body.record, reviews=body.reviews, to_agent=body.to_agent)
        return JsonAnswer(trial_view(await self._chain.judge(given), body.language))

    async def _metrics(self, request: Request) -> Response:
        days = checked_limit(request.query_params.get("days"), default=DEFAULT_DAYS, maximum=MAX_DAYS, name="days")
        until = self._clock.now()
        measures = await self._measurements.measure(since=until - timedelta(days=days), until=until)
        return JsonAnswer({"days": days, **measures_view(measures), "since_start": counters_view(self._counters)})


class _Events:
    """The endpoint of the stream of events."""

    def __init__(self, pages: LivePages) -> None:
        self._pages = pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._pages.full:
            answer = refusal(503, "too_many_pages", "Too many pages are open. Close some, then reload this one.")
            await answer(scope, receive, send)
            return
        with self._pages.subscribe() as subscription:
            await send_events(subscription, receive, send, HEARTBEAT_SECONDS)


def _key(request: Request) -> ConversationKey:
    return ConversationKey(PLATFORM, checked_identifier(request.path_params["id"], "conversation"))


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"[0-9]{1,6}", text) else -1
