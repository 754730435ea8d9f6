"""The answer to a query as JSON."""

from __future__ import annotations

import json
from typing import Any

from ircourse.engine.results import EngineHit, Results

__all__ = ["json_of"]


def json_of(answer: Any) -> bytes:
    """Return an answer as JSON in ASCII; nothing in it can be taken for markup.

    answer  `Results`, or a dict as it is
    """
    fields = _results(answer) if isinstance(answer, Results) else answer
    text = json.dumps(fields, ensure_ascii=True, allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode("ascii")


def _results(results: Results) -> dict[str, Any]:
    return {
        "query": results.query,
        "total": results.total,
        "offset": results.offset,
        "suggestion": results.suggestion,
        "unknown": list(results.unknown),
        "weights": results.weights.shares(),
        "hits": [_hit(hit) for hit in results.hits],
    }


def _hit(hit: EngineHit) -> dict[str, Any]:
    return {
        "url": hit.url,
        "title": hit.title,
        "snippet": [{"text": text, "marked": marked} for text, marked in hit.snippet],
        "date": hit.date.isoformat() if hit.date else None,
        "score": hit.score,
        "parts": dict(hit.parts),
        "mirrors": list(hit.mirrors),
    }
