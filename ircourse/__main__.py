"""The command line: ``python3 -m ircourse COMMAND …``; ``--help`` lists the commands.

The running Python needs nothing but its standard library: ``bootstrap`` finds or makes the environment in
which a command then runs, as a child process. Like ``bootstrap`` this file must run under Python 3.6.
"""

import os
import sys

# This folder must not be searched for modules: its types.py would stand in for the standard library's.
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [path for path in sys.path if os.path.abspath(path) != HERE]
if not __package__:  # started by its path
    sys.path.insert(0, os.path.dirname(HERE))

import argparse
import shutil
from collections.abc import Callable
from functools import wraps

from ircourse import pythons
from ircourse.arguments import parser
from ircourse.bootstrap import ROOT, SetupError, call, environment

BASE, TEST, BENCH = "requirements.txt", "requirements-test.txt", "requirements-bench.txt"
INSTRUCTOR = "requirements-instructor.txt"
FAST = "not notebook and not browser"
NBVAL = ["pytest", "--nbval", "--nbval-sanitize-with", "tests/notebooks/sanitize.cfg", "chapters"]
AT_ONCE = ["-n", "logical", "--maxprocesses=4"]  # more than four, each with kernels and a browser, fill 8 GB
INSTALLERS = {"darwin": "brew install python@3.13", "win32": "winget install Python.Python.3.13"}


def hand_over(arguments: "list[str]") -> int:
    """Run the same command under a supported Python of this machine; return its exit code."""
    mine = f"this is Python {sys.version_info[0]}.{sys.version_info[1]}; the course needs {pythons.SUPPORTED}"
    command = pythons.find_python()
    if command is None:
        how = INSTALLERS.get(sys.platform, "the system's package manager, pyenv or uv")
        raise SetupError(
            f"{mine}, and found none on this machine. "
            f"Install Python 3.13 ({how}, or python.org) and run the same command again."
        )
    found = " ".join([shutil.which(command[0]) or command[0], *command[1:]])
    print(f"ircourse: {mine}. Going on with {found}", flush=True)
    return again(command, arguments)


def again(python: "list[str]", arguments: "list[str]") -> int:
    """Run the same command line under another Python; return its exit code."""
    return call([*python, os.path.join(HERE, "__main__.py"), *arguments])


def need_course(what: str) -> None:
    """Raise SetupError where the package was installed without the course's repository around it."""
    if not (ROOT / what).is_dir():
        raise SetupError(
            f"the {what} are not part of the installed package. Clone or download the course's repository "
            "and run `python3 -m ircourse` from its root."
        )


def inside(*files: str, needs: str = "") -> "Callable[[Callable[..., int]], Callable[..., int]]":
    """Let a command run in the environment of these requirements; ``needs`` is a folder of the course."""

    def wrap(command: "Callable[..., int]") -> "Callable[..., int]":
        @wraps(command)
        def run_inside(options: "argparse.Namespace", rest: "list[str]") -> int:
            if needs:
                need_course(needs)
            python = environment(*files)
            if python != sys.executable:
                return again([python], options.arguments)
            return command(options, rest)

        return run_inside

    return wrap


def setup(options: "argparse.Namespace", rest: "list[str]") -> int:
    """Set up the environment and say where it is."""
    print(f"Ready: {environment(BASE)}\nNext: python3 -m ircourse lab")
    return 0


def lab(options: "argparse.Namespace", rest: "list[str]") -> int:
    """Open JupyterLab at a notebook or a folder until Ctrl-C."""
    from ircourse.commands.lab import lab_arguments

    if options.path is None:
        need_course("chapters")
    python, own = environment(BASE), {"browser": not options.no_browser, "port": options.port}
    try:
        arguments = lab_arguments(options.path, ROOT / "chapters", **own)
        return call([python, "-m", "jupyterlab", *arguments], cwd=ROOT)
    except ValueError as error:
        raise SetupError(str(error)) from error
    except KeyboardInterrupt:
        return 0


def chosen_tests(rest: "list[str]", chosen: bool) -> "list[str] | None":
    """Return pytest's arguments, paths made absolute, where they choose tests; None where they do not."""
    arguments = []
    for argument in rest:
        path, *test = argument.split("::")
        is_path = not argument.startswith("-") and os.path.exists(path)
        chosen |= is_path or argument.startswith("-k")
        arguments.append("::".join([os.path.abspath(path), *test]) if is_path else argument)
    return arguments if chosen else None


def test(options: "argparse.Namespace", rest: "list[str]") -> int:
    """Run every check, or those that pytest's arguments in ``rest`` choose; 1 if any failed."""
    need_course("tests")
    python = environment(BASE, TEST)
    marks = [FAST] if options.fast else []
    marks += [f"({options.marks})"] if options.marks else []
    marked = ["-m", " and ".join(marks)] if marks else []  # pytest heeds the last -m alone
    chosen = chosen_tests(rest, chosen=options.marks is not None)
    if chosen is not None:
        return call([python, "-m", "pytest", *marked, *chosen], cwd=ROOT)
    steps = [
        ("ruff check", ["ruff", "check", "."]),
        ("ruff format", ["ruff", "format", "--check", "."]),
        ("mypy", ["mypy"]),
        ("pytest", ["pytest", *AT_ONCE, "--dist=worksteal", *marked, *rest]),
    ]
    if not options.fast and any(ROOT.glob("chapters/**/*.ipynb")):
        steps.append(("notebooks under nbval", [*NBVAL, *AT_ONCE, "--dist=loadfile", *rest]))
    failed = []
    for title, command in steps:
        print(f"\n== {title} ==", flush=True)
        if call([python, "-m", *command], cwd=ROOT):
            failed.append(title)
    print("\n" + (f"failed: {', '.join(failed)}" if failed else "every check passed"))
    print(f"checks: {len(steps) - len(failed)} passed, {len(failed)} failed", flush=True)
    return 1 if failed else 0


@inside(BASE, needs="chapters")
def run(options: "argparse.Namespace", rest: "list[str]") -> int:
    """Execute chapters without a browser."""
    from ircourse.notebooks import run as run_chapters

    return run_chapters(options.chapters, save=options.save, output=options.output)


@inside(BASE)
def crawl(options: "argparse.Namespace", rest: "list[str]") -> int:
    """Crawl a site into a page store."""
    from ircourse.commands.crawl import crawl as crawl_site

    names = "max_pages resume hosts delay threads allow_private contact revisit visits_a_day seconds"
    chosen = {name: getattr(options, name) for name in names.split()}
    return crawl_site(options.url, store=options.out, **chosen)


@inside(BASE)
def dedup(options: "argparse.Namespace", rest: "list[str]") -> int:
    """Print the near-duplicate clusters of files."""
    from ircourse.commands.dedup import dedup as print_clusters

    names = "threshold", "k", "characters", "scheduler", "insecure_scheduler"
    chosen = {name: getattr(options, name) for name in names}
    return print_clusters(options.paths, as_json=options.json, **chosen)


@inside(BASE)
def search(options: "argparse.Namespace", rest: "list[str]") -> int:
    """Print what LSI and the plain cosine find in files."""
    from ircourse.commands.search import search as print_results

    return print_results(options.paths, options.query, k=options.k, n=options.n)


@inside(BASE)
def rank(options: "argparse.Namespace", rest: "list[str]") -> int:
    """Print the pages of a graph that PageRank and HITS put first."""
    from ircourse.commands.rank import rank as print_ranks

    chosen = {name: getattr(options, name) for name in ("top", "plot", "scheduler", "insecure_scheduler")}
    return print_ranks(options.file, as_json=options.json, damping=options.damping, **chosen)


@inside(BASE)
def engine(options: "argparse.Namespace", rest: "list[str]") -> int:
    """Build or load a search engine and serve its page."""
    from ircourse.commands.engine import engine as serve_engine

    names = "pydoc", "load", "save", "host", "port", "max_pages", "delay", "allow_private", "contact"
    chosen = {name: getattr(options, name) for name in names}
    return serve_engine(options.source, store=options.out, **chosen)


@inside(BASE, INSTRUCTOR, needs="chapters")
def release(options: "argparse.Namespace", rest: "list[str]") -> int:
    """Write the exercises as students get them."""
    from ircourse.commands.release import release as write_release

    return write_release(options.out, roster=options.roster, secret=options.secret, only=options.only)


@inside(BASE, INSTRUCTOR, needs="chapters")
def grade(options: "argparse.Namespace", rest: "list[str]") -> int:
    """Grade submissions of the exercises."""
    from ircourse.commands.grade import grade as grade_all
    from ircourse.commands.sandbox import Limits

    limits = Limits(options.cell_seconds, options.seconds, options.memory)
    chosen = {name: getattr(options, name) for name in ("out", "secret", "roster", "by_hand", "only")}
    return grade_all(options.folder, limits=limits, trusted=options.trust_submissions, **chosen)


@inside(BASE, BENCH, needs="tests")
def bench(options: "argparse.Namespace", rest: "list[str]") -> int:
    """Run the benchmarks beside the other libraries."""
    from ircourse.commands.bench import bench as run_benchmarks

    return run_benchmarks(ROOT / "tests" / "benchmarks", options.name, [*options.inputs, *rest])


ALL = lab, test, setup, run, crawl, dedup, search, rank, engine, release, grade, bench
COMMANDS = {command.__name__: command for command in ALL}


def dispatch(arguments: "list[str]") -> int:
    """Run the command that ``arguments`` name; return its exit code."""
    if arguments and not arguments[0].startswith("-") and arguments[0] not in COMMANDS:
        print(f"ircourse: no command {arguments[0]!r}; choose from {', '.join(COMMANDS)}.", file=sys.stderr)
        return 2
    reader = parser()
    options, rest = reader.parse_known_args(arguments)
    if options.command is None:
        reader.print_help(sys.stderr)
        return 2
    if rest and options.command not in ("test", "bench"):
        reader.error(f"{options.command} takes no {' '.join(rest)}")
    options.arguments = arguments
    return COMMANDS[options.command](options, rest)


def main(arguments: "list[str] | None" = None) -> int:
    """Run the command line; return its exit code (0 well, 1 failed, 2 not understood, 130 stopped)."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        if not pythons.supported(sys.version_info[:2]):
            return hand_over(arguments)
        return dispatch(arguments)
    except SetupError as error:
        print(f"ircourse: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("ircourse: stopped.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
