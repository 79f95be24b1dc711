"""What a poll that failed means, and what to do about it."""

from mama_bot.errors import MamaBotError
from mama_bot.gateways.telegram import sentences
from mama_bot.gateways.telegram.timings import Timing
from mama_bot.gateways.telegram.transport import TelegramRefused
from mama_bot.wording import Said


def meaning(error: Exception, *, persona: str, failures: int, timing: Timing) -> tuple[Said, float]:
    """Return a sentence for whoever runs the service, and how many seconds to wait before the next poll."""
    whose = sentences.OF_PERSONA.of(persona=persona) if persona else ""
    pause = timing.pause(failures)
    match error:
        case TelegramRefused(status=401 | 404):
            return _token_refused(persona, whose), timing.revoked
        case TelegramRefused(status=409, description=description) if "webhook" in description.lower():
            return sentences.WEBHOOK_SET.of(whose=whose), pause
        case TelegramRefused(status=409):
            return sentences.ANOTHER_PROGRAM.of(whose=whose), pause
        case TelegramRefused(retry_after=seconds) if seconds:
            return sentences.ASKS_FOR_PAUSE.of(seconds=seconds), seconds
        case TimeoutError():
            return sentences.UNANSWERED_POLL, pause
        case MamaBotError():
            return sentences.UNCONFIRMED.of(error=error), pause
        case _:
            return sentences.UNREACHED.of(error=f"{type(error).__name__}: {error}"), pause


def _token_refused(persona: str, whose: Said | str) -> Said:
    setting = f"telegram.persona_tokens.{persona}" if persona else "telegram.token (MAMA_TELEGRAM__TOKEN)"
    return sentences.TOKEN_REFUSED.of(whose=whose, setting=setting)
