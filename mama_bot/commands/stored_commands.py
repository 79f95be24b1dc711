"""The commands that work on what the service stored; heavy imports inside, so that `--help` is quick."""

import argparse
import os

from mama_bot.commands.command_answers import answer_language, asked_configuration, print_line, read_stored, say_all


def reports(options: argparse.Namespace) -> int:
    """List reports of decisions that people hold for wrong, show one, accept or dismiss it. Return the exit status."""
    import asyncio

    from mama_bot.commands import reports as report_commands

    number = options.number
    report_commands.check_arguments(options)
    configuration = read_stored(options)
    match options.action:
        case "show":
            lines = asyncio.run(report_commands.show_report(configuration, number, as_json=options.json))
        case "accept":
            accepting = report_commands.accept_report(
                configuration,
                number,
                phrases=options.phrase,
                stage=options.stage,
                dry_run=options.dry_run,
            )
            asyncio.run(say_all(accepting))
            return 0
        case "dismiss":
            lines = iter(asyncio.run(report_commands.dismiss_report(configuration, number)))
        case _:
            lines = asyncio.run(report_commands.list_reports(configuration, settled=options.all, as_json=options.json))
    for line in lines:
        print_line(line)
    return 0


def metrics(options: argparse.Namespace) -> int:
    """Print what the service counted in the last days. Return the exit status."""
    import asyncio

    from mama_bot.commands.metrics import metrics_report

    for line in asyncio.run(metrics_report(read_stored(options), days=options.days, as_json=options.json)):
        print_line(line)
    return 0


def receipt(options: argparse.Namespace) -> int:
    """Print the receipt of a reply. Return the exit status."""
    import asyncio

    from mama_bot.commands.receipts import shown_receipt
    from mama_bot.commands.setup.setup_arguments import session_language

    language = options.language or session_language(os.environ)
    told = shown_receipt(read_stored(options), options.reference, as_json=options.json, language=language)
    for line in asyncio.run(told):
        print_line(line)
    return 0


def board(options: argparse.Namespace) -> int:
    """Do what `topic` and `item` ask for. Return the exit status."""
    import asyncio

    from mama_bot.commands.board_commands import item_answer, topic_answer

    answer = topic_answer if options.command == "topic" else item_answer
    for line in asyncio.run(answer(read_stored(options), options, answer_language(options))):
        print_line(line)
    return 0


def turns(options: argparse.Namespace) -> int:
    """List turns, show one, try it again or drop it. Return the exit status."""
    import asyncio

    from mama_bot.commands.turn_commands import turns_answer

    for line in asyncio.run(turns_answer(read_stored(options), options, answer_language(options))):
        print_line(line)
    return 0


def backup(options: argparse.Namespace) -> int:
    """Write a backup. Return the exit status."""
    from mama_bot.commands.backup_commands import backup_answer

    for line in backup_answer(
        asked_configuration(options),
        options.file,
        only=options.database_only,
        replace=options.replace,
        language=answer_language(options),
    ):
        print_line(line)
    return 0


def copy_store(options: argparse.Namespace) -> int:
    """Copy the store to another database. Return the exit status."""
    import asyncio

    from mama_bot.commands.store_migration import migration_answer

    configuration, language = read_stored(options), answer_language(options)
    for line in asyncio.run(migration_answer(configuration, options.to, source=options.source, language=language)):
        print_line(line)
    return 0


def restore(options: argparse.Namespace) -> int:
    """Put a backup back. Return the exit status."""
    from mama_bot.commands.backup_commands import restore_answer

    for line in restore_answer(
        asked_configuration(options), options.file, replace=options.replace, language=answer_language(options)
    ):
        print_line(line)
    return 0


def prune(options: argparse.Namespace) -> int:
    """Remove what is older or larger than is kept. Return the exit status."""
    import asyncio

    from mama_bot.commands.backup_commands import prune_answer

    for line in asyncio.run(prune_answer(read_stored(options), options, answer_language(options))):
        print_line(line)
    return 0


def pair(options: argparse.Namespace) -> int:
    """List who asks to be served, settle a request or take one back. Return the exit status."""
    import asyncio

    from mama_bot.commands import pairing as pairing_command

    configuration = read_stored(options)
    if options.code or options.deny:
        code = options.code or options.deny
        print_line(asyncio.run(pairing_command.settle_pairing(configuration, code, approve=bool(options.code))))
    elif options.remove:
        print_line(asyncio.run(pairing_command.remove_pairing(configuration, options.remove)))
    else:
        for line in asyncio.run(pairing_command.listed_pairings(configuration, as_json=options.json)):
            print_line(line)
    return 0
