"""What Discord says when it does not do what it is asked."""

from typing import Any

Json = dict[str, Any]


class Refused(Exception):
    """An error of the API: HTTP status, Discord's own code, its sentence, and details of a form."""

    def __init__(self, status: int, code: int, message: str, errors: Json | None = None) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.body: Json = {"code": code, "message": message}
        if errors is not None:
            self.body["errors"] = errors


def invalid(field: str, code: str, message: str) -> Refused:
    """A form with one wrong field."""
    return Refused(400, 50035, "Invalid Form Body", {field: {"_errors": [{"code": code, "message": message}]}})


def unauthorized() -> Refused:
    """A token that is not known."""
    return Refused(401, 0, "401: Unauthorized")


def unknown_channel() -> Refused:
    """No such channel."""
    return Refused(404, 10003, "Unknown Channel")


def unknown_message() -> Refused:
    """No such message."""
    return Refused(404, 10008, "Unknown Message")


def unknown_webhook() -> Refused:
    """No such webhook, or another token."""
    return Refused(404, 10015, "Unknown Webhook")


def unknown_interaction() -> Refused:
    """No such interaction, or its three seconds are over."""
    return Refused(404, 10062, "Unknown interaction")


def missing_access() -> Refused:
    """The bot does not see the channel."""
    return Refused(403, 50001, "Missing Access")


def missing_permissions() -> Refused:
    """The bot sees the channel but may not do this."""
    return Refused(403, 50013, "Missing Permissions")


def archived_thread() -> Refused:
    """The thread is archived."""
    return Refused(400, 50083, "Thread is archived")
