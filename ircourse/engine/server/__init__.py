"""The engine's search page: a small server on loopback."""

from ircourse.engine.server.serving import PortError, Serving, bound, serving

__all__ = ["PortError", "Serving", "bound", "serving"]
