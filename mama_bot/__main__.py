"""The command `mama-bot`."""

import sys


def main() -> int:
    """Run the command line and return its exit status."""
    from mama_bot.commands.command_line import run_command

    return run_command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
