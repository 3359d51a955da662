"""`selectron serve`: streams over HTTP, and a page to label them."""

import sys
from pathlib import Path
from typing import Any

import click

from ..errors import SelectronError
from . import INTERRUPTED

NEEDED = "selectron serve needs more packages ({} is missing): pip install 'selectron[serve]'."


@click.command()
@click.argument("files", nargs=-1, type=click.Path(dir_okay=False, exists=True))
@click.option("--demo", is_flag=True, help="Serve an embedded stream of texts that drifts.")
@click.option(
    "--data",
    type=click.Path(file_okay=False),
    help="Where everything is kept. Default: selectron-data, or selectron-demo.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8000, show_default=True)
@click.option(
    "--allow-host", multiple=True, help="A name that this server goes by. May be repeated."
)
@click.option(
    "--connections-per-address",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="How many connections one address may have open; a proxy is one address.",
)
@click.option(
    "--token",
    metavar="ROLE[:NAME[:DAYS]]",
    help="Make a token for ingest, annotate, read or admin, print it, and end.",
)
@click.option("--accept-loss", is_flag=True, help="Go on where the end of the log has been lost.")
def serve(files: tuple[str, ...], demo: bool, token: str | None, **options: Any) -> None:
    """Predict streams item by item, ask a person for the labels that tell most, learn at once.

    FILES declare streams, in TOML. The page is at the address that is printed. Everything is kept
    in one folder; the same command goes on where it was.

    \b
        selectron serve --demo
        selectron serve mail.toml --data /var/lib/mail
    """
    if not files and not demo:
        raise click.UsageError("Give a FILE that declares streams, or --demo.")
    try:
        code = served(files, demo, token, **options)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("selectron"):
            raise
        click.echo(f"selectron: {NEEDED.format(error.name)}", err=True)
        code = 1
    except (SelectronError, OSError) as error:
        click.echo(f"selectron: {error}", err=True)
        code = 1
    except KeyboardInterrupt:
        code = INTERRUPTED
    sys.exit(code)


def served(files: tuple[str, ...], demo: bool, token: str | None, **options: Any) -> int:
    """Serve, or make a token; return the exit code."""
    from ..serve import server
    from ..serve.declaration import read

    found = [declaration for file in files for declaration in read(file)]
    if len({d.name for d in found}) < len(found):
        raise SelectronError("Two streams have the same name.")
    folder = Path(options["data"] or ("selectron-data" if files else "selectron-demo"))

    def made() -> Any:
        return server.made(folder, found, demo, options["accept_loss"])

    if token is not None:
        return one_token(made(), token)
    with server.terminable(), server.listening(options["host"], options["port"]) as door:
        host, port = made(), door.getsockname()[1]
        told(host, f"http://{options['host']}:{port}", demo)
        click.echo(f"Everything is kept in {folder}; Ctrl-C ends.")
        names = (*options["allow_host"], options["host"])
        server.run(host, door, names, demo, options["connections_per_address"])
    return 0


def told(host: Any, where: str, demo: bool) -> None:
    """Print the tokens that were made, and where the page is."""
    from ..serve import server

    tokens = server.first_tokens(host)
    for role, text in tokens.items():
        click.echo(f"{role:>9} token: {text}")
    if tokens:
        click.echo("These tokens are shown this once; --token makes others.")
        click.echo(f"Open {where}/#token={tokens['annotate']}")
    elif demo:
        click.echo(f"Open {where}/#token={host.make_token('annotate', 'annotate', None)}")
    else:
        click.echo(f"Open {where}/ with a token for annotate")


def one_token(host: Any, wanted: str) -> int:
    """Make a token, and print it."""
    from ..serve.tokens import ROLES

    role, _, rest = wanted.partition(":")
    name, _, days = rest.partition(":")
    try:
        if role not in ROLES:
            raise SelectronError(f"--token: there is no role {role!r}, but {', '.join(ROLES)}.")
        until = float(days) if days else None
        click.echo(host.make_token(name or role, role, until))
    except ValueError as error:
        raise SelectronError(f"--token: {error}") from None
    finally:
        host.stop()
    return 0
