"""What does not fit the role that a process was given."""

from mama_bot.config.platform_problems import PLATFORMS, platforms_with_token
from mama_bot.config.settings import ServiceRole, Settings


def role_problem(settings: Settings, role: ServiceRole) -> str | None:
    """Return why a process cannot have a role, and what to do, as a sentence; None where it can."""
    if role is ServiceRole.ALL:
        return None
    url = settings.store.url.get_secret_value() if settings.store.url is not None else ""
    if not url.startswith("postgres"):
        return (
            f"--role {role.value} shares the work with others, over PostgreSQL. Set store.url (MAMA_STORE__URL) to "
            "postgresql://user@host/name, or leave --role out."
        )
    if role is ServiceRole.GATEWAY and not platforms_with_token(settings):
        return f"--role gateway connects to platforms, and none has a token. Set that of {', '.join(PLATFORMS)}."
    if role is ServiceRole.PAGE and not settings.web.enabled:
        return "--role page serves the page, and web.enabled is false. Set it to true, or give another role."
    return None
