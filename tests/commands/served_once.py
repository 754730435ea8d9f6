"""The command ``engine`` in a test: what it writes, and a Ctrl-C after its page was asked."""

import io
from urllib.request import urlopen

from ircourse.commands.engine import engine
from ircourse.engine.server import Serving

__all__ = ["Stopped", "run"]


class Stopped:
    """Stands for the wait until Ctrl-C: asks the page once, then is interrupted."""

    def __init__(self, monkeypatch):
        self.pages = {}
        monkeypatch.setattr(Serving, "stopped", lambda serving, seconds: self(serving))
        self.asks = [""]

    def __call__(self, serving):
        for path in self.asks:
            with urlopen(serving.address + path) as answer:
                self.pages[path] = answer.read().decode()
        raise KeyboardInterrupt


def run(code, *arguments, **options):
    """Return what is written to the output and to the log."""
    out, log = io.StringIO(), io.StringIO()
    assert engine(*arguments, out=out, log=log, **options) == code, log.getvalue()
    return out.getvalue(), log.getvalue()
