"""The dependency direction of DESIGN: a package imports only packages that stand before it."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "ircourse"
BASE = {"types", "text", "index", "kernels", "shipped"}
TOPICS = {"graphs", "dedup", "latent", "crawl", "indexsize", "links"}
ALLOWED = {
    "types": set(),
    "shipped": set(),
    "kernels": set(),
    "text": {"kernels", "types"},
    "postings": {"kernels", "text"},
    "ranking": {"postings", "text", "types"},
    "index": {"kernels", "types", "text", "postings", "ranking"},
    "graphs": BASE,
    "dedup": BASE,
    "latent": BASE,
    "crawl": BASE | {"graphs", "dedup"},
    "indexsize": BASE | {"graphs"},
    "links": BASE | {"graphs"},
    "web": BASE | TOPICS,
    "distribute": BASE | TOPICS | {"web", "postings", "ranking"},
    "engine": BASE | TOPICS | {"web", "postings", "ranking"},
    "exercises": BASE | TOPICS,
    "show": BASE | TOPICS | {"web", "distribute", "engine", "exercises", "pythons"},
    "pythons": set(),
    "bootstrap": {"pythons"},
    "commands": BASE | TOPICS | {"web", "distribute", "engine", "exercises", "notebooks", "show"},
    "notebooks": {"bootstrap"},
    "__main__": BASE
    | TOPICS
    | {
        "web",
        "distribute",
        "engine",
        "exercises",
        "pythons",
        "bootstrap",
        "notebooks",
        "commands",
        "arguments",
    },
    "arguments": set(),
    "__init__": set(),
}
BELOW_SHOW = sorted(p for p in ROOT.rglob("*.py") if p.relative_to(ROOT).parts[0] != "show")


def part_of(path: Path) -> str:
    """The top-level part that a file belongs to: "graphs" for graphs/core.py, "types" for types.py."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports_of(path: Path) -> set[str]:
    """The modules that a file imports, wherever in the file it does."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                here = ["ircourse", *path.relative_to(ROOT).parent.parts]
                stem = here[: len(here) - node.level + 1]
                module = ".".join([*stem, module]).rstrip(".")
            found |= {f"{module}.{alias.name}" for alias in node.names} if module == "ircourse" else {module}
    return found


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_a_file_imports_only_what_stands_before_it(path):
    part = part_of(path)
    used = {name.split(".")[1] for name in imports_of(path) if name.startswith("ircourse.")}
    assert used - {part, "__version__"} <= ALLOWED[part]


@pytest.mark.parametrize("path", BELOW_SHOW, ids=lambda p: str(p.relative_to(ROOT)))
def test_below_show_nothing_plots_or_shows_widgets(path):
    tops = {name.split(".")[0] for name in imports_of(path)}
    assert not tops & {"matplotlib", "ipywidgets", "IPython"}
