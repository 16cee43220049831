"""Commands for sites: `synthagent env list|start|stop|check|reset`."""

from typing import TYPE_CHECKING, Annotated

import typer

from synthagent.cli.execution import data_home, execute
from synthagent.cli.options import Json
from synthagent.cli.output import print_json, print_table

if TYPE_CHECKING:
    from synthagent.environments import SiteRow

app = typer.Typer(
    help="Built-in and outside websites.", no_args_is_help=True, rich_markup_mode=None
)
Name = Annotated[str, typer.Argument(help="Name of a site, such as shop.")]
Which = Annotated[
    str, typer.Argument(help="Name of a site for all of its copies, or of one copy: shop-1.")
]


@app.command("list")
def list_sites(json: Json = False) -> None:
    """List the known sites and the copies that run."""
    from synthagent.environments import list_environments

    listing = list_environments(data_home())
    if json:
        print_json(listing)
        return
    rows = [
        (site.name, site.title, "built in" if site.is_built_in else "outside", state)
        for site in listing.sites
        for state in _states(site)
    ]
    print_table(("site", "title", "kind", "state"), rows)


@app.command()
def start(
    site: Name,
    port: Annotated[int, typer.Option(help="Port of the first copy; any free one for 0.")] = 0,
    count: Annotated[int, typer.Option(min=1, max=64, help="Copies to start.")] = 1,
    json: Json = False,
) -> None:
    """Start copies of a built-in site; they run until `env stop`."""
    from synthagent.environments import start_copies

    copies = execute(lambda _: start_copies(site, count, home=data_home(), port=port))
    if json:
        print_json(copies)
    else:
        print_table(("copy", "address"), [(one.id, one.url) for one in copies.copies])


@app.command()
def stop(which: Which, json: Json = False) -> None:
    """Stop running copies of a site and remove their data."""
    from synthagent.environments import stop_copies

    copies = stop_copies(which, home=data_home())
    if json:
        print_json(copies)
    else:
        typer.echo("\n".join(f"stopped {one.id}" for one in copies.copies) or "none is running")


@app.command()
def check(site: Name, json: Json = False) -> None:
    """Try a site: whether it answers, whether the logins work, whether it can be reset."""
    from synthagent.sites import check_site, load_site

    spec = load_site(site)
    health = execute(lambda _: check_site(spec, home=data_home()))
    if json:
        print_json(health)
    else:
        rows = [
            ("ok" if row.ok else "FAILED", row.check, f"{row.seconds:.2f} s", row.detail)
            for row in health.rows
        ]
        print_table(("", "check", "took", "detail"), rows)
    if not health.ok:
        raise typer.Exit(1)


@app.command()
def reset(which: Which, json: Json = False) -> None:
    """Bring running copies of a site back to their seeded state."""
    from synthagent.environments import reset_copies

    resets = execute(lambda _: reset_copies(which, home=data_home()))
    if json:
        print_json(resets)
    else:
        rows = [(one.id, f"{one.seconds:.2f} s") for one in resets.resets]
        print_table(("copy", "reset in"), rows)


def _states(site: "SiteRow") -> list[str]:
    if site.missing:
        return [f"needs {', '.join(site.missing)}"]
    if not site.is_built_in:
        return ["set up"]
    return [f"{one.id} at {one.url}" for one in site.copies] or ["not running"]
