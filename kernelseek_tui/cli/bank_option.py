"""`--bank`: which banks a command uses."""

import click

BANKS = click.option(
    "--bank",
    "banks",
    multiple=True,
    metavar="NAME|PATH",
    help="A bank to use: an installed one's name, a folder of *.yaml, or `default`. May be given again.",
)
