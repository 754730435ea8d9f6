"""A search engine from all the parts (the capstone)."""

from ircourse.engine.engine import Engine
from ircourse.engine.files import EngineFileError
from ircourse.engine.pages import SourcePage
from ircourse.engine.query import QueryError
from ircourse.engine.results import EngineHit, EnginePage, HubsAndAuthorities, Results, ScoredPage
from ircourse.engine.scores import COMPONENTS, Candidates, Weights
from ircourse.engine.sources import pages_from, pages_of_store

__all__ = [
    "COMPONENTS",
    "Candidates",
    "Engine",
    "EngineFileError",
    "EngineHit",
    "EnginePage",
    "HubsAndAuthorities",
    "QueryError",
    "Results",
    "ScoredPage",
    "SourcePage",
    "Weights",
    "pages_from",
    "pages_of_store",
]
