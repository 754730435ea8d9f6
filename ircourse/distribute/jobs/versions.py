"""Whether client, scheduler and workers run the same versions, as tasks and arrays travel between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import ircourse
from ircourse.distribute.jobs.asking import answered
from ircourse.distribute.jobs.errors import ClusterError, await_workers, told

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["check_versions", "mismatches"]

EXACT = ("dask", "distributed", "cloudpickle")
PATIENCE = 30  # seconds for the first worker to come
BY_MINOR = ("python", "numpy")  # 3.11.7 and 3.11.9 understand each other
Versions = Mapping[str, Any]


def check_versions(client: Client) -> None:
    """Raise ClusterError where scheduler or workers run other versions than the client, or there are none.

    Compared are Dask and cloudpickle, Python and NumPy to the minor version, and this package.
    """
    asked: Any = client
    with told(client, "comparing versions"):
        await_workers(client, PATIENCE)
        found = answered(asked, asked.get_versions)
        wrong = mismatches(
            found["client"]["packages"],
            {"the scheduler": found["scheduler"]["packages"]}
            | {f"worker {name}": worker["packages"] for name, worker in sorted(found["workers"].items())},
        )
        if not wrong:
            here = answered(asked, lambda: asked.run(_asker()))
            ours = {"ircourse": ircourse.__version__}
            wrong = mismatches(ours, {f"worker {w}": {"ircourse": v} for w, v in sorted(here.items())})
    if wrong:
        raise ClusterError(
            f"{'; '.join(wrong)}. Install the same versions everywhere, `pip install -r requirements.txt`"
        )


def mismatches(client: Versions, others: Mapping[str, Versions]) -> list[str]:
    """Return what differs, a phrase each.

    >>> mismatches({"python": "3.12.1.final.0", "dask": "2026.8.0"},
    ...            {"worker a": {"python": "3.12.4.final.0", "dask": "2026.7.0"}})
    ['worker a has dask 2026.7.0 and this process 2026.8.0']
    """
    wrong = []
    for name, versions in others.items():
        for package, ours in client.items():
            theirs = versions.get(package)
            exact = package in EXACT or package == "ircourse"
            if (exact and theirs != ours) or (package in BY_MINOR and _minor(theirs) != _minor(ours)):
                wrong.append(f"{name} has {package} {theirs or 'missing'} and this process {ours}")
    return wrong


def _asker() -> Callable[[], str | None]:
    """Return a function that travels as code; one that is found by its module would need it to arrive."""

    def ask() -> str | None:
        try:
            import ircourse as there
        except ImportError:
            return None
        return there.__version__

    return ask


def _minor(version: object) -> list[str]:
    return str(version).split(".")[:2]
