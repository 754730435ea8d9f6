"""ircourse: a companion to the web-search half of an information-retrieval course.

The algorithms live in the topic packages (``ircourse.crawl``, ``ircourse.graphs``, …), the figures and
explorers in ``ircourse.show``, the chapters in the repository's ``chapters/``.
"""

__version__ = "0.1.0"
