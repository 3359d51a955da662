"""Pages that are made from the code: one for each public name, and one for the service's routes."""

import inspect
import runpy
import tempfile
from pathlib import Path
from typing import Any

from classes import described
from listing import found, home, public

LIMITS = {"minLength": "from", "minimum": "from", "maxLength": "to", "maximum": "to"}
TUTORIALS = Path(__file__).parents[1] / "tutorials"


def write_api(folder: Path) -> None:
    """Write a page for every public name, and one that lists them."""
    names = public()
    folder.mkdir(exist_ok=True)
    for page in folder.glob("*.md"):
        page.unlink()
    toc = []
    for module, listed in names.items():
        homes = [home(module, name, names) for name in listed]
        toc.append(module)
        own = [full for full in homes if full.rpartition(".")[0] == module]
        lines = [f"# {module}", "", "```{eval-rst}", f".. automodule:: {module}", ""]
        lines += ["```", "", "| name | purpose |", "|---|---|", *map(row, homes), ""]
        lines += ["```{toctree}", ":hidden:", "", *own, "```", ""]
        (folder / f"{module}.md").write_text("\n".join(lines), encoding="utf-8")
        for full in own:
            write_name(folder, full)
    lines = ["# Python API", ""]
    lines += ["Each name has a page with its parameters, an example and its source.", ""]
    lines += ["```{toctree}", ":maxdepth: 2", "", *toc, "```", ""]
    (folder / "index.md").write_text("\n".join(lines), encoding="utf-8")


def row(full: str) -> str:
    """Return the line of a table for a name: a link to its page, and what it is."""
    name = full.rpartition(".")[2]
    what = (inspect.getdoc(found(full)) or "").partition("\n\n")[0].replace("\n", " ")
    safe = what.replace("|", "\\|").replace("<", "&lt;")
    return f"| [`{name}`]({full}.md) | {safe} |"


def write_name(folder: Path, full: str) -> None:
    """Write the page of a class or a function."""
    module, _, name = full.rpartition(".")
    thing = found(full)
    lines = [f"# {name}", "", "```{eval-rst}", f".. currentmodule:: {module}", ""]
    if inspect.isclass(thing):
        lines += described(thing, full)
    else:
        kind = "function" if callable(thing) else "data"
        lines += [f".. auto{kind}:: {name}"]
    (folder / f"{full}.md").write_text("\n".join([*lines, "```", ""]), encoding="utf-8")


def routes() -> dict[str, Any]:
    """Return the OpenAPI schema of the service."""
    from selectron.serve.app import application
    from selectron.serve.demo import DEMO
    from selectron.serve.host import Host

    with tempfile.TemporaryDirectory() as data, Host(Path(data), [DEMO]) as host:
        return application(host).openapi()


def plain(schema: dict[str, Any]) -> str:
    """Return a JSON schema in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(plain(one) for one in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {plain(schema.get('items', {}))}"
    limits = [f"{word} {schema[key]:,}" for key, word in LIMITS.items() if key in schema]
    return schema.get("type", "any") + (f" ({' '.join(limits)})" if limits else "")


def fields(rows: list[tuple[str, str, bool, str]]) -> list[str]:
    """Return a table of parameters or fields."""
    if not rows:
        return []
    lines = ["| name | type | required | meaning |", "|---|---|---|---|"]
    lines += [
        f"| `{name}` | {kind} | {'yes' if needed else 'no'} | {' '.join(what.split())} |"
        for name, kind, needed, what in rows
    ]
    return [*lines, ""]


def write_routes(page: Path) -> None:
    """Write the page of the service's routes."""
    schema = routes()
    lines = ["# The service's routes", ""]
    lines += ["A running service has this description as JSON at `/v1/openapi.json`. "]
    lines += ["[The labelling service](serve.md) explains tokens, keys and limits.", ""]
    for path, methods in schema["paths"].items():
        for method, route in methods.items():
            lines += [f"## {method.upper()} {path}", "", route.get("description", ""), ""]
            if roles := route.get("x-roles"):
                lines += ["Roles: " + ", ".join(roles) + ".", ""]
            rows = []
            for one in route.get("parameters", []):
                kind = f"{plain(one['schema'])}, in the {one['in']}"
                rows.append((one["name"], kind, one["required"], one.get("description", "")))
            lines += fields(rows)
            for kind, body in route.get("requestBody", {}).get("content", {}).items():
                lines += [f"Body: {plain(body.get('schema', {}))}, as `{kind}`.", ""]
    lines += ["## Bodies", ""]
    for name, body in schema["components"]["schemas"].items():
        lines += [f"### {name}", "", body.get("description", ""), ""]
        required = body.get("required", [])
        lines += fields(
            [
                (field, plain(one), field in required, one.get("description", ""))
                for field, one in body.get("properties", {}).items()
            ]
        )
    page.write_text("\n".join(lines), encoding="utf-8")


def adapted(app: Any, name: str, source: list[str]) -> None:
    """Redirect links to the desktop's documents; leave out tutorials that are missing."""
    source[0] = source[0].replace("(../desktop/docs/", "(/desktop/")
    if name == "tutorials/index":
        kept = [
            line
            for line in source[0].splitlines()
            if not line.startswith("/") or Path(app.srcdir, line[1:] + ".md").exists()
        ]
        source[0] = "\n".join(kept)


def write(app: Any, config: Any) -> None:
    """Write all pages before Sphinx looks for them."""
    for script in "tickets", "mail":
        runpy.run_path(str(TUTORIALS / f"{script}.py"))["main"](TUTORIALS)
    reference = Path(app.srcdir) / "reference"
    write_api(reference / "api")
    write_routes(reference / "openapi.md")
