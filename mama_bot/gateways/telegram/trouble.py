"""What a poll that failed means, and what to do about it."""

from mama_bot.errors import MamaBotError
from mama_bot.gateways.telegram.timings import Timing
from mama_bot.gateways.telegram.transport import TelegramRefused


def meaning(error: Exception, *, persona: str, failures: int, timing: Timing) -> tuple[str, float]:
    """Return a sentence for whoever runs the service, and how many seconds to wait before the next poll."""
    whose = f" of the persona {persona}" if persona else ""
    pause = timing.pause(failures)
    match error:
        case TelegramRefused(status=401 | 404):
            return _token_refused(persona, whose), timing.revoked
        case TelegramRefused(status=409, description=description) if "webhook" in description.lower():
            return f"A webhook is set for the bot{whose}; it is taken off before the next poll.", pause
        case TelegramRefused(status=409):
            remedy = "Stop it, or give one of the two a bot of its own."
            return f"Another program polls with this token{whose}. {remedy}", pause
        case TelegramRefused(retry_after=seconds) if seconds:
            return f"Telegram asks for a pause of {seconds:g} seconds.", seconds
        case TimeoutError():
            return "Telegram took a poll and never answered it; it is asked again.", pause
        case MamaBotError():
            return f"What Telegram sends cannot be confirmed: {error}", pause
        case _:
            return f"Telegram cannot be polled: {type(error).__name__}: {error}", pause


def _token_refused(persona: str, whose: str) -> str:
    setting = f"telegram.persona_tokens.{persona}" if persona else "telegram.token (MAMA_TELEGRAM__TOKEN)"
    return (
        f"Telegram does not accept the token{whose}. Get a new one from @BotFather (/token), "
        f"set {setting} and start the service again."
    )
