"""Texts that nobody wrote for these tests, and the web of Saltmere."""

from importlib.metadata import distributions
from itertools import combinations
from pathlib import Path

import pytest

from ircourse.dedup import exact_copies, jaccard, near_duplicates, shingle_ids
from ircourse.web import tiny_web


def licence_texts(most=250):
    """The licence files of the installed packages."""
    texts = []
    for package in sorted(distributions(), key=lambda d: str(d.metadata["Name"]).lower()):
        for file in package.files or ():
            if file.name.upper().startswith(("LICENSE", "LICENCE", "COPYING", "NOTICE")):
                path = Path(str(file.locate()))
                if path.is_file() and path.suffix not in (".py", ".pyc"):
                    texts.append(path.read_text(encoding="utf-8", errors="replace"))
    return texts[:most]


def test_licence_files_against_brute_force():
    texts = licence_texts()
    if len(texts) < 20:
        pytest.skip(f"only {len(texts)} licence files are installed")
    found = near_duplicates(texts)
    assert found.copies == exact_copies(texts)
    rest = [i for i in range(len(texts)) if i not in found.copies]
    ids = {i: set(shingle_ids(texts[i]).tolist()) for i in rest}
    exact = {(i, j): jaccard(ids[i], ids[j]) for i, j in combinations(rest, 2) if ids[i] & ids[j]}
    true = {pair for pair, j in exact.items() if j >= 0.8}
    margin = {pair for pair, j in exact.items() if abs(j - 0.8) <= 0.08}
    pairs = {(i, j) for i, j, _ in found.pairs}
    assert len(true & pairs - margin) >= 0.97 * len(true - margin)
    assert len(true & pairs - margin) >= 0.97 * len(pairs - margin)
    verified = near_duplicates(texts, verify=True)
    assert {(i, j) for i, j, _ in verified.pairs} - margin == true - margin
    assert all(e == exact[i, j] for i, j, e in verified.pairs)


def test_saltmere_s_mirror_and_reprints():
    web = tiny_web()
    urls = [url for url in web if web[url].text]
    found = near_duplicates([web[url].text for url in urls], threshold=0.7, verify=True)
    by_host = [sorted({urls[i].split("/")[2].split(".")[0] for i in c}) for c in found.clusters]
    assert by_host.count(["gazette", "mirror"]) >= 10
    assert by_host.count(["gazette", "mirror", "seaboard-wire"]) >= 5  # with another date on them
    for i, first in found.copies.items():
        assert web[urls[i]].text == web[urls[first]].text
    wire = [i for i, url in enumerate(urls) if "seaboard-wire" in url]
    assert not set(wire) & set(found.copies)
