"""What the command line takes: each command's arguments and options, and the types of their values.

Like ``__main__``, which runs the commands, this file must run under Python 3.6.
"""

import argparse
from collections.abc import Callable

from ircourse import __version__

__all__ = ["count", "damping", "interval", "parser", "picture", "port", "seconds", "threshold"]


def _number(text: str, kind: type, least: float, most: float, wanted: str) -> "int | float":
    """Return the number that a text is, or raise ArgumentTypeError, which names what is wanted."""
    try:
        number = kind(text)  # type: int | float
    except ValueError:
        number = least - 1
    if not least <= number <= most:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not {wanted}")
    return number


def port(text: str) -> "int | float":
    """Return the number of a port."""
    return _number(text, int, 0, 65535, "a port: give a number from 0 to 65535")


def threshold(text: str) -> float:
    """Return a similarity above 0 and at most 1."""
    return _number(text, float, 5e-324, 1, "a threshold: give a number above 0 and at most 1")


def damping(text: str) -> float:
    """Return a chance of following a link, from 0 to just below 1."""
    return _number(text, float, 0, 1 - 2**-53, "a damping: give a number from 0 to just below 1")


def count(text: str) -> "int | float":
    """Return a number of at least 1."""
    return _number(text, int, 1, float("inf"), "a whole number of at least 1")


def picture(text: str) -> str:
    """Return the path of a picture to write."""
    if not text.lower().endswith((".png", ".svg")):
        raise argparse.ArgumentTypeError(f"{text!r:.60} is no picture: give a name that ends in .png or .svg")
    return text


def seconds(text: str) -> float:
    """Return a number of seconds of at least 0, a day at most."""
    return _number(text, float, 0, 86400, "a delay: give seconds from 0 to 86400")


def interval(text: str) -> "float | str":
    """Return "adaptive", "best", or a number of seconds of at least 1."""
    if text in ("adaptive", "best"):
        return text
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 1 <= number <= 1e9:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no interval: give seconds from 1 to 1e9, or the word adaptive or best"
        )
    return number


def parser() -> "argparse.ArgumentParser":
    """Return what reads the command line."""
    top = argparse.ArgumentParser(prog="ircourse", description="A companion to the web-search course.")
    top.add_argument("--version", action="version", version=__version__)
    commands = top.add_subparsers(metavar="COMMAND", dest="command")

    def command(name: str, text: str) -> "Callable[..., argparse.Action]":
        return commands.add_parser(name, help=text, description=text, allow_abbrev=False).add_argument

    def cluster(option: "Callable[..., argparse.Action]") -> None:
        option("--scheduler", metavar="ADDRESS", help="work on this Dask cluster, tls://host:port")
        option("--insecure-scheduler", action="store_true", help="speak to another machine without TLS")

    option = command("lab", "Open the course in JupyterLab; Ctrl-C ends it.")
    option("path", nargs="?", metavar="PATH", help="a notebook or a folder of them; none: the first chapter")
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
    option("--output", "--out", metavar="DIR", help="where the pages go (_output unless given)")
    option = command("crawl", "Crawl a site politely into a page store; Ctrl-C stops, --resume goes on.")
    option("url", metavar="URL", help="where to start; the crawl stays on its host")
    option("--max-pages", type=count, metavar="N", help="pages that the store is to hold in the end (all)")
    option("--out", metavar="STORE", help="the folder of the page store (crawl-HOST)")
    option("--resume", action="store_true", help="go on with the crawl that the store holds")
    option(
        "--revisit",
        type=interval,
        metavar="S",
        help="visit each page again: after S seconds; adaptive: the more often it changes, hourly at most,"
        " whatever that costs; best: where --visits-a-day keep most copies fresh",
    )
    option("--visits-a-day", type=count, metavar="N", help="visits of all pages, for --revisit best (1000)")
    option("--seconds", type=count, metavar="S", help="end after S seconds (none: --revisit has no end)")
    option("--delay", type=seconds, default=2.0, metavar="S", help="least seconds between requests (2)")
    option("--threads", type=count, default=4, metavar="N", help="requests at once, to a host only one (4)")
    option("--allow-private", action="store_true", help="connect to private and loopback addresses, too")
    option("--contact", metavar="URL", help="where to find whose crawl it is, told to servers")
    option("--host", action="append", default=[], dest="hosts", metavar="HOST", help="another host to crawl")
    option = command(
        "dedup", "Print the near-duplicate clusters of files: text, HTML, WARC, folders of them."
    )
    option("paths", nargs="+", metavar="PATH", help="a file or a folder")
    option("--threshold", type=threshold, default=0.8, help="similarity from which on texts are near (0.8)")
    option("-k", type=count, default=4, help="words in a shingle (4)")
    option("--characters", action="store_true", help="shingles of characters, for scripts without spaces")
    option("--json", action="store_true", help="print the result as JSON")
    cluster(option)
    option = command("search", "Search files by LSI and by the plain cosine, the results side by side.")
    option("paths", nargs="+", metavar="PATH", help="a file or a folder")
    option("--query", "-q", required=True, help="the words to look for")
    option("-k", type=count, help="concepts (1.5 times the root of the number of documents, at most 100)")
    option("-n", type=count, default=10, help="results of each (10)")
    option = command("rank", "Print the pages of a graph that PageRank and HITS put first.")
    text = "an edge list (lines of two numbers or names), GraphML, GML, a WARC file, a folder with a crawl"
    option("file", metavar="FILE", help=text)
    option("--top", type=count, default=10, metavar="N", help="how many of each kind (10)")
    option("--damping", type=damping, default=0.85, metavar="D", help="chance of following a link (0.85)")
    option("--json", action="store_true", help="print the result as JSON")
    option("--plot", type=picture, metavar="PICTURE", help="draw it, too: a file that ends in .png or .svg")
    cluster(option)
    option = command("engine", "Build a search engine and serve its page on this machine; Ctrl-C ends it.")
    option("source", nargs="?", metavar="SOURCE", help="an http address, page store, WARC file or folder")
    option("--pydoc", action="store_true", help="search the documentation of this Python")
    option("--load", metavar="DIR", help="open an engine that was saved, in place of a SOURCE")
    option("--save", metavar="DIR", help="save the engine in a folder")
    option("--port", type=port, help="the port to listen on (one that is free)")
    option("--host", default="127.0.0.1", help="where to listen; by default only this machine gets there")
    option("--out", metavar="STORE", help="the page store of a crawl, gone on with if there (crawl-HOST)")
    option("--max-pages", type=count, metavar="N", help="pages that the store is to hold in the end (all)")
    option("--delay", type=seconds, default=2.0, metavar="S", help="least seconds between requests (2)")
    option("--allow-private", action="store_true", help="crawl private and loopback addresses, too")
    option("--contact", metavar="URL", help="where to find whose crawl it is, told to servers")
    option = command("release", "Write the exercises 19.7 to 19.10 as students get them, without solutions.")
    option("--out", required=True, metavar="DIR", help="the folder to write to; a folder in it for a student")
    option("--roster", metavar="FILE.csv", help="the students' ids: each gets numbers of their own")
    option(
        "--secret", metavar="FILE", help="the file with the secret that numbers are drawn from, made if none"
    )
    option("--only", metavar="LIST", help="these exercises alone: 19.7 or 19.7,19.8")
    option = command(
        "grade", "Grade submissions of the exercises: a CSV file, and feedback for each student."
    )
    option("folder", metavar="DIR", help="holds a folder for each student, named by the student's id")
    option("--out", default="grades.csv", metavar="FILE.csv", help="where the points go (grades.csv)")
    option(
        "--secret", metavar="FILE", help="the file that release drew numbers from; none: the book's numbers"
    )
    option("--roster", metavar="FILE.csv", help="the class: a row for each, also who handed in nothing")
    option("--by-hand", metavar="FILE.csv", help="student,exercise,points,comment of written answers")
    option("--only", metavar="LIST", help="these exercises alone count: 19.7 or 19.7,19.8")
    option("--trust-submissions", action="store_true", help="run them as yourself, without bubblewrap")
    option("--cell-seconds", type=count, default=10, metavar="S", help="time for a cell (10)")
    option("--seconds", type=count, default=60, metavar="S", help="time for a notebook (60)")
    option("--memory", type=count, default=1024, metavar="MIB", help="memory for a notebook (1024)")
    option = command("bench", "Run the benchmarks: ours and other libraries on the same input, as ratios.")
    option("name", nargs="?", metavar="NAME", help="one benchmark, a script of tests/benchmarks; none: all")
    option("inputs", nargs="*", metavar="INPUT", help="what that script takes: numbers, or a folder")
    return top
