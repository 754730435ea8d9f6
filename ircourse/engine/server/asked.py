"""What a request asks for: the words, the page of results, the weights; and the same as an address.

Weights are in hundredths on the page, since a slider moves in whole steps; only their ratios matter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlencode

from ircourse.engine.scores import COMPONENTS, Weights

__all__ = ["DEFAULT", "PER_PAGE", "Asked", "AskedError", "asked_of", "number_of", "parameters_of"]

PER_PAGE = 10
MOST_FIELDS = 30
MOST_NUMBER = 10**9
DEFAULT = {name: f"{100 * value:g}" for name, value in vars(Weights()).items()}


class AskedError(ValueError):
    """A request that cannot be answered as it is; the message says why."""


@dataclass(frozen=True)
class Asked:
    """A query, the number of the page of results from 1, and the weights as they were written."""

    q: str = ""
    page: int = 1
    weights: Mapping[str, str] = field(default_factory=lambda: DEFAULT)

    def path(self, path: str = "/", *, page: int = 1, q: str | None = None) -> str:
        """Return the address of this query on another page; what is as always is left out.

        >>> Asked("old harbour", weights=DEFAULT | {"lsi": "40"}).path(page=2)
        '/?q=old+harbour&page=2&lsi=40'
        """
        fields = {"q": self.q if q is None else q} | ({"page": str(page)} if page > 1 else {})
        fields |= {name: value for name, value in self.weights.items() if value != DEFAULT[name]}
        return f"{path}?{urlencode(fields, errors='replace')}"

    def as_weights(self) -> Weights:
        """Return the weights. Raises AskedError for what is none."""
        for name, value in self.weights.items():
            if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{0,9})?", value):
                raise AskedError(f"the weight of {name} is {value!r:.40}, which is no number of at least 0")
        try:
            return Weights(**{name: float(value) / 100 for name, value in self.weights.items()})
        except ValueError as error:
            raise AskedError(str(error)) from None


def parameters_of(query: str) -> dict[str, str]:
    """Return the parameters of an address, of each name the first. Raises AskedError.

    >>> parameters_of("q=a+b&q=c&page=")
    {'q': 'a b', 'page': ''}
    """
    try:
        fields = parse_qs(query, keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except UnicodeDecodeError:
        raise AskedError("the address is not in UTF-8") from None
    except ValueError:
        raise AskedError(f"the address has more than {MOST_FIELDS} parameters") from None
    return {name: values[0] for name, values in fields.items()}


def asked_of(parameters: Mapping[str, str]) -> Asked:
    """Return what parameters ask for. Raises AskedError for a page that is no number."""
    page = number_of(parameters, "page", 1, least=1)
    weights = {name: parameters.get(name) or DEFAULT[name] for name in COMPONENTS}
    return Asked(parameters.get("q", ""), page, weights)


def number_of(parameters: Mapping[str, str], name: str, default: int, *, least: int = 0) -> int:
    """Return a parameter that is a whole number. Raises AskedError for anything else.

    >>> number_of({"n": "20"}, "n", 10), number_of({}, "n", 10)
    (20, 10)
    """
    value = parameters.get(name) or str(default)
    if not re.fullmatch(r"[0-9]{1,10}", value) or not least <= int(value) <= MOST_NUMBER:
        bounds = f"of at least {least} and at most {MOST_NUMBER:,}"
        raise AskedError(f"{name} is {value!r:.40}: give a whole number {bounds}")
    return int(value)
