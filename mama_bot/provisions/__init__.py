"""What is an agent given in a repository beside its files, and how does it reach nobody else?"""

from mama_bot.provisions.git_ways import GitWay, own_way, with_settings
from mama_bot.provisions.grants import Grant, GrantMissing, grant_of, secret_values
from mama_bot.provisions.mcp_servers import McpServer
from mama_bot.provisions.provision import Provision, Provisions, nothing_provided
from mama_bot.provisions.skills import Skill, write_skills
from mama_bot.provisions.written_grants import WrittenGrant, write_grant

__all__ = [
    "GitWay",
    "Grant",
    "GrantMissing",
    "McpServer",
    "Provision",
    "Provisions",
    "Skill",
    "WrittenGrant",
    "grant_of",
    "nothing_provided",
    "own_way",
    "secret_values",
    "with_settings",
    "write_grant",
    "write_skills",
]
