"""Any other agent that speaks the Agent Client Protocol: its persona says by which command it is started."""

from mama_bot.agents.acp_clis import AcpCli, CliSetup, CliStart


def _start(setup: CliSetup) -> CliStart:
    del setup
    return CliStart(arguments=(), variables={}, prefixed=True)


ANY = AcpCli(
    name="acp",
    title="an agent over ACP",
    program="",
    tested="",
    install="",
    login="See what it needs to be logged in; it has a home of its own here, and no key of another agent.",
    keys=(),
    servers=(),
    logins=(),
    login_file="",
    start=_start,
    tells_all=False,
    asks_for_files=True,
)
