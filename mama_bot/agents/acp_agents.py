"""The CLIs that are spoken to over the Agent Client Protocol, by the name that a persona gives as its backend."""

from collections.abc import Mapping
from types import MappingProxyType

from mama_bot.agents.acp_clis import AcpCli
from mama_bot.agents.acp_codex import CODEX
from mama_bot.agents.acp_gemini import GEMINI
from mama_bot.agents.acp_opencode import OPENCODE
from mama_bot.agents.acp_others import ANY

CLIS: Mapping[str, AcpCli] = MappingProxyType({cli.name: cli for cli in (GEMINI, OPENCODE, CODEX, ANY)})
