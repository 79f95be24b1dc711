"""GitHub and GitLab, as far as pull requests go: their REST APIs spoken over HTTP on loopback."""

from tests.platforms.forge_server.github_api import GitHubServer
from tests.platforms.forge_server.gitlab_api import GitLabServer
from tests.platforms.forge_server.project import ForgeServer

__all__ = ["ForgeServer", "GitHubServer", "GitLabServer"]
