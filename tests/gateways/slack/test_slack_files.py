import pytest
from aiohttp import web

from mama_bot.errors import DeliveryFailed, DeliveryUnknown, QueueFull
from mama_bot.model import ConversationKey, OutgoingFile, Part
from tests.gateways.slack.playing import Played
from tests.gateways.slack.test_slack_reading import SLACK
from tests.gateways.under_test import a_post
from tests.platforms.slack_server.faults import Manner
from tests.waiting import until


async def test_files_come_with_a_mention(play: Played) -> None:
    server = play.server
    async with play.running():
        files = [server.file("노트.txt", "text/plain", "안녕".encode()), server.file("a.csv", "text/csv", b"1,2")]
        await server.say("see these", mention=server.app, files=files).settled()
    [message] = play.inlet.delivered
    assert [(one.name, one.path.read_bytes()) for one in message.attachments] == [
        ("노트.txt", "안녕".encode()),
        ("a.csv", b"1,2"),
    ]
    assert set(server.downloads) == {server.app.bot_token}


async def test_a_file_that_is_too_large_is_left_out_and_the_person_is_told(play: Played) -> None:
    server = play.server
    async with play.running(max_attachment_megabytes=1, max_attachments=2):
        files = [
            server.file(f"{number}.bin", "application/x", bytes(size)) for number, size in ((1, 2**21), (2, 9), (3, 9))
        ]
        assert await server.say("see these", channel=server.direct, files=files).settled()
        await until(lambda: server.shown(server.direct.id))
    [message] = play.inlet.delivered
    assert [one.name for one in message.attachments] == ["2.bin"]
    told = server.shown(server.direct.id)[0]
    assert "1.bin" in told
    assert "3.bin" in told


async def test_a_bot_that_may_not_read_files_says_so(play: Played) -> None:
    server = play.server
    server.app.scopes.remove("files:read")
    async with play.running():
        files = [server.file("a.txt", "text/plain", b"secret")]
        assert await server.say("see this", channel=server.direct, files=files).settled()
        await until(lambda: server.shown(server.direct.id))
    assert "may not read files" in server.shown(server.direct.id)[0]
    assert play.inlet.delivered[0].attachments == ()


async def test_the_token_is_sent_to_slack_alone(play: Played) -> None:
    server = play.server
    asked: list[str] = []

    async def take(request: web.Request) -> web.Response:
        asked.append(request.headers.get("Authorization", ""))
        return web.Response(body=b"bait")

    elsewhere = web.Application()
    elsewhere.router.add_get("/{any}", take)
    runner = web.AppRunner(elsewhere)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.2", 0).start()
    port = runner.addresses[0][1]
    try:
        async with play.running():
            file = server.file("a.txt", "text/plain", b"x") | {"url_private_download": f"http://127.0.0.2:{port}/a"}
            assert await server.say("see this", channel=server.direct, files=[file]).settled()
            await until(lambda: server.shown(server.direct.id))
    finally:
        await runner.cleanup()
    assert asked == []
    assert "does not lie on Slack" in server.shown(server.direct.id)[0]


async def test_nothing_is_kept_of_a_message_that_was_refused(play: Played) -> None:
    server = play.server
    play.inlet.refusal = QueueFull(scope="this conversation", limit=3)
    async with play.running():
        files = [server.file("a.txt", "text/plain", b"words")]
        assert await server.say("see this", channel=server.direct, files=files).settled()
        await until(lambda: server.shown(server.direct.id))
    assert [path for path in play.directory.rglob("*") if path.is_file()] == []


def a_file_part() -> Part:
    file = OutgoingFile(name="report.txt", media_type="text/plain", size=5, content=b"words")
    return Part(index=1, text="", plain="", last=True, file=file)


async def test_a_file_goes_out_into_the_thread_and_is_found_again(play: Played) -> None:
    server = play.server
    async with play.running() as gateway:
        said = server.say("write a report", mention=server.app)
        await said.settled()
        post = a_post(ConversationKey(SLACK, said.channel, said.ts), "reply")
        assert await gateway.find(post, a_file_part()) is None
        platform_id = await gateway.post(post, a_file_part())
        assert await gateway.find(post, a_file_part()) == platform_id
    shared = server.workspace.message(said.channel, platform_id)
    assert shared["thread_ts"] == said.ts
    [file] = shared["files"]
    assert server.api.uploads[file["id"]]["content"] == b"words"


async def test_a_file_whose_sharing_was_not_answered_is_found_in_the_next_life(play: Played) -> None:
    server = play.server
    async with play.running() as gateway:
        post = a_post(ConversationKey(SLACK, server.direct.id), "reply")
        server.fail("files.completeUploadExternal", manner=Manner.ANSWER_LOST)
        with pytest.raises(DeliveryUnknown):
            await gateway.post(post, a_file_part())
    async with play.running() as gateway:
        assert await gateway.find(post, a_file_part())
    assert len(server.called("files.completeUploadExternal")) == 1


async def test_an_upload_that_failed_has_certainly_not_been_posted(play: Played) -> None:
    server = play.server
    async with play.running() as gateway:
        post = a_post(ConversationKey(SLACK, server.direct.id), "reply")
        server.fail("files.getUploadURLExternal", status=500)
        with pytest.raises(DeliveryFailed):
            await gateway.post(post, a_file_part())
        assert await gateway.post(post, a_file_part())
