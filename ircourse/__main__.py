"""The command line: ``python3 -m ircourse lab | test | setup | run | dedup | search | bench``.

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

from ircourse import __version__, pythons
from ircourse.bootstrap import ROOT, SetupError, call, environment

BASE, TEST, BENCH = "requirements.txt", "requirements-test.txt", "requirements-bench.txt"
FAST = "not notebook and not browser"
NBVAL = ["pytest", "--nbval", "--nbval-sanitize-with", "tests/notebooks/sanitize.cfg", "chapters"]
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


def setup(options: "argparse.Namespace", rest: "list[str]") -> int:
    """Set up the environment and say where it is."""
    print(f"Ready: {environment(BASE)}")
    return 0


def lab(options: "argparse.Namespace", rest: "list[str]") -> int:
    """Open JupyterLab at the first chapter until Ctrl-C."""
    need_course("chapters")
    command = [environment(BASE), "-m", "jupyterlab", "chapters/00_start_here.ipynb"]
    # -y: Ctrl-C needs no second answer; --allow-root: in a container there is often no other user
    command += ["--ServerApp.ip=127.0.0.1", "-y", "--allow-root"]
    command += ["--no-browser"] if options.no_browser else []
    command += [] if options.port is None else [f"--ServerApp.port={options.port}"]
    try:
        return call(command, cwd=ROOT)
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
        ("pytest", ["pytest", *marked, *rest]),
    ]
    if not options.fast and any(ROOT.glob("chapters/**/*.ipynb")):
        steps.append(("notebooks under nbval", [*NBVAL, *rest]))
    failed = []
    for title, command in steps:
        print(f"\n== {title} ==", flush=True)
        if call([python, "-m", *command], cwd=ROOT):
            failed.append(title)
    print("\n" + (f"failed: {', '.join(failed)}" if failed else "every check passed"))
    print(f"checks: {len(steps) - len(failed)} passed, {len(failed)} failed", flush=True)
    return 1 if failed else 0


def run(options: "argparse.Namespace", rest: "list[str]") -> int:
    """Execute chapters without a browser."""
    need_course("chapters")
    python = environment(BASE)
    if python != sys.executable:
        return again([python], options.arguments)
    from ircourse.notebooks import run as run_chapters

    return run_chapters(options.chapters, save=options.save, output=options.output)


def dedup(options: "argparse.Namespace", rest: "list[str]") -> int:
    """Print the near-duplicate clusters of files."""
    python = environment(BASE)
    if python != sys.executable:
        return again([python], options.arguments)
    from ircourse.commands.dedup import dedup as print_clusters

    chosen = {"threshold": options.threshold, "k": options.k, "characters": options.characters}
    return print_clusters(options.paths, as_json=options.json, **chosen)


def search(options: "argparse.Namespace", rest: "list[str]") -> int:
    """Print what LSI and the plain cosine find in files."""
    python = environment(BASE)
    if python != sys.executable:
        return again([python], options.arguments)
    from ircourse.commands.search import search as print_results

    return print_results(options.paths, options.query, k=options.k, n=options.n)


def bench(options: "argparse.Namespace", rest: "list[str]") -> int:
    """Run the benchmarks beside the other libraries."""
    need_course("tests")
    python = environment(BASE, BENCH)
    if python != sys.executable:
        return again([python], options.arguments)
    from ircourse.commands.bench import bench as run_benchmarks

    return run_benchmarks(ROOT / "tests" / "benchmarks", options.name, [*options.inputs, *rest])


def port(text: str) -> int:
    """Return the number of a port, or raise ValueError."""
    number = int(text)
    if not 0 <= number < 2**16:
        raise ValueError(f"{number} is no port: give a number from 0 to 65535")
    return number


def threshold(text: str) -> float:
    """Return a similarity above 0 and at most 1, or raise ValueError."""
    number = float(text)
    if not 0 < number <= 1:
        raise ValueError(f"{number} is no threshold: give a number above 0 and at most 1")
    return number


def count(text: str) -> int:
    """Return a number of at least 1, or raise ValueError."""
    number = int(text)
    if number < 1:
        raise ValueError(f"{number} is below 1")
    return number


COMMANDS = {
    "lab": lab,
    "test": test,
    "setup": setup,
    "run": run,
    "dedup": dedup,
    "search": search,
    "bench": bench,
}


def parser() -> "argparse.ArgumentParser":
    """Return what reads the command line."""
    top = argparse.ArgumentParser(prog="ircourse", description="A companion to the web-search course.")
    top.add_argument("--version", action="version", version=__version__)
    commands = top.add_subparsers(metavar="COMMAND", dest="command")

    def command(name: str, text: str) -> "Callable[..., argparse.Action]":
        return commands.add_parser(name, help=text, description=text, allow_abbrev=False).add_argument

    option = command("lab", "Open the course in JupyterLab; Ctrl-C ends it.")
    option("--no-browser", action="store_true", help="print the address, open no browser")
    option("--port", type=port, help="the port to listen on (8888 unless given)")
    option = command(
        "test", "Run every check. Other arguments go to pytest; a path, -k or -m runs pytest alone."
    )
    option("--fast", action="store_true", help="leave out notebooks and browser")
    option("-m", metavar="MARKS", dest="marks", help="only the tests with these marks, as pytest's -m")
    command("setup", "Make .venv and install what the chapters need.")
    option = command("run", "Execute chapters; write each as a page that works without kernel and network.")
    option("chapters", nargs="*", metavar="CHAPTER", help="a name or its beginning; none: every chapter")
    option("--save", action="store_true", help="write the executed notebooks back, clean")
    option("--output", metavar="DIR", help="where the pages go (_output unless given)")
    option = command(
        "dedup", "Print the near-duplicate clusters of files: text, HTML, WARC, folders of them."
    )
    option("paths", nargs="+", metavar="PATH", help="a file or a folder")
    option("--threshold", type=threshold, default=0.8, help="similarity from which on texts are near (0.8)")
    option("-k", type=count, default=4, help="words in a shingle (4)")
    option("--characters", action="store_true", help="shingles of characters, for scripts without spaces")
    option("--json", action="store_true", help="print the result as JSON")
    option = command("search", "Search files by LSI and by the plain cosine, the results side by side.")
    option("paths", nargs="+", metavar="PATH", help="a file or a folder")
    option("--query", "-q", required=True, help="the words to look for")
    option("-k", type=count, help="concepts (1.5 times the root of the number of documents, at most 100)")
    option("-n", type=count, default=10, help="results of each (10)")
    option = command("bench", "Run the benchmarks: ours and other libraries on the same input, as ratios.")
    option("name", nargs="?", metavar="NAME", help="one benchmark, a script of tests/benchmarks; none: all")
    option("inputs", nargs="*", metavar="INPUT", help="what that script takes: numbers, or a folder")
    return top


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
