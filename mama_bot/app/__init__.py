"""The composition root: the only place that names concrete adapters; start, drain, stop."""

from mama_bot.app.configuration import Configuration, read_configuration, scripted
from mama_bot.app.service import Running, serve
from mama_bot.app.service_process import serve_until_signalled

__all__ = ["Configuration", "Running", "read_configuration", "scripted", "serve", "serve_until_signalled"]
