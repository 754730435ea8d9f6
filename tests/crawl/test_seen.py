"""Seen URLs: the Bloom filter and the exact set on disk, beside plain sets, and after a kill."""

import hashlib
import math
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.crawl import BloomFilter, SeenUrls
from ircourse.crawl import bloom as bloom_file
from ircourse.crawl import seen as seen_file

ROOT = Path(__file__).parents[2]
URLS = st.lists(
    st.text(max_size=6) | st.sampled_from(["http://a.example/", "\ud800", "\0", "é"]), max_size=30
)


def urls_of(n, start=0):
    """Return n different URLs."""
    return [f"http://www.host{i % 97}.example/page/{i}" for i in range(start, start + n)]


@pytest.mark.parametrize(
    ("capacity", "rate"), [(1, 0.5), (10, 0.999), (1000, 0.01), (1000, 1e-6), (10**6, 0.1)]
)
def test_a_filter_has_the_size_of_the_formula(capacity, rate):
    filter_ = BloomFilter(capacity, rate)
    assert filter_.n_bits == max(2, math.ceil(capacity * math.log(1 / rate) / math.log(2) ** 2))
    assert filter_.n_hashes == max(1, round(filter_.n_bits / capacity * math.log(2)))
    assert not filter_.bits.any() and filter_.bits.shape == (filter_.n_bits,)


@given(urls=URLS, capacity=st.integers(1, 50), rate=st.sampled_from([0.5, 0.1, 1e-4]))
def test_a_filter_sets_the_bits_of_its_plain_version(urls, capacity, rate):
    filter_ = BloomFilter(capacity, rate)
    bits = np.zeros(filter_.n_bits, bool)
    new = []
    for url in urls:
        positions = filter_.positions(url)
        assert len(positions) == filter_.n_hashes
        new.append(not bits[positions].all())
        bits[positions] = True
    assert filter_.add_many(urls).tolist() == new
    assert filter_.bits.tolist() == bits.tolist() and filter_.count == sum(new)
    assert filter_.contains_many(urls).all()
    assert all(url in filter_ for url in urls)


@given(urls=URLS)
def test_one_by_one_and_many_are_the_same(urls):
    one, many = BloomFilter(20), BloomFilter(20)
    assert [one.add(url) for url in urls] == many.add_many(iter(urls)).tolist()
    assert (one.bits == many.bits).all() and one.count == many.count


def test_pieces_make_no_difference(monkeypatch):
    urls = [*urls_of(50), "é", *urls_of(50)]
    whole, parts = BloomFilter(100), BloomFilter(100)
    new = whole.add_many(urls)
    monkeypatch.setattr(bloom_file, "PIECE", 7)
    assert (parts.add_many(urls) == new).all() and (parts.bits == whole.bits).all()
    assert parts.contains_many([]).shape == (0,)


def test_the_bits_are_the_same_in_every_process():
    filter_ = BloomFilter(1000)
    filter_.add_many(urls_of(500))
    digest = hashlib.sha256(np.packbits(filter_.bits).tobytes()).hexdigest()
    assert digest.startswith("2f7ffc2222163da8"), digest


def test_a_filter_is_saved_and_loaded(tmp_path):
    path = tmp_path / "seen.bloom"
    filter_ = BloomFilter(1000, 0.001)
    filter_.add_many(urls_of(300))
    filter_.save(path)
    loaded = BloomFilter.load(path)
    kept = ("capacity", "error_rate", "n_bits", "n_hashes", "count")
    assert [getattr(loaded, name) for name in kept] == [getattr(filter_, name) for name in kept]
    assert (loaded.bits == filter_.bits).all()
    assert not loaded.add("http://www.host0.example/page/0") and loaded.add("http://new.example/")
    loaded.save(path)  # over the old one
    assert "http://new.example/" in BloomFilter.load(path)
    assert [file.name for file in tmp_path.iterdir()] == ["seen.bloom"]


def test_an_altered_file_is_refused(tmp_path):
    path = tmp_path / "seen.bloom"
    BloomFilter(20, 0.1).save(path)
    whole = path.read_bytes()
    altered = [whole[:i] + bytes([whole[i] ^ 1]) + whole[i + 1 :] for i in range(len(whole))]
    cut = [whole[:i] for i in range(len(whole))]
    for content in [*altered, *cut, whole + b"x", b"{}"]:
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"seen\.bloom holds no whole Bloom filter"):
            BloomFilter.load(path)


def test_a_forged_size_is_refused_before_memory_is_taken(tmp_path):
    path = tmp_path / "seen.bloom"
    head = bloom_file.MAGIC + bloom_file._HEAD.pack(10**11, 0.01, 0)
    path.write_bytes(head + bytes(8) + bloom_file._digest(head, np.zeros(8, np.uint8)))
    with pytest.raises(ValueError, match="no whole"):
        BloomFilter.load(path)


@pytest.mark.parametrize("capacity", [0, -1, 1.5, True, None, "9"])
def test_a_wrong_capacity_is_told(capacity):
    with pytest.raises(ValueError, match=r"capacity is .*at least 1"):
        BloomFilter(capacity)


@pytest.mark.parametrize("rate", [0.0, 1.0, -0.1, math.nan, math.inf, 1, None, "1%"])
def test_a_wrong_error_rate_is_told(rate):
    with pytest.raises(ValueError, match=r"error_rate is .*between 0 and 1"):
        BloomFilter(10, rate)


def test_a_filter_too_large_is_told():
    with pytest.raises(ValueError, match="2\\^43"):
        BloomFilter(10**13)


@pytest.mark.parametrize("call", [BloomFilter(10).add_many, BloomFilter(10).contains_many])
def test_what_is_no_url_is_told(call):
    with pytest.raises(TypeError, match="not one str"):
        call("http://a.example/")
    for wrong in (None, b"x", 5):
        with pytest.raises(TypeError, match="a URL is a str"):
            call(["http://a.example/", wrong])


def seen_variants(tmp_path):
    """Return sets on disk with and without a filter, the filter also far too small."""
    return [SeenUrls(tmp_path / f"{expected}.db", expected=expected) for expected in (None, 1, 10_000)]


@pytest.mark.parametrize("batch", [1, 7, 20_000])
def test_sets_on_disk_are_sets(tmp_path, monkeypatch, batch):
    monkeypatch.setattr(seen_file, "BATCH", batch)
    monkeypatch.setattr(seen_file, "CACHE", 5)
    monkeypatch.setattr(seen_file, "ASKED", 3)
    rng = np.random.default_rng(4)
    for seen in seen_variants(tmp_path):
        model = set()
        for _ in range(60):
            urls = [f"http://a.example/{i}" for i in rng.integers(0, 120, rng.integers(0, 9)).tolist()]
            expected = []
            for url in urls:
                expected.append(url not in model)
                model.add(url)
            assert seen.add_many(urls) == expected
            asked = f"http://a.example/{rng.integers(0, 120)}"
            assert (asked in seen) is (asked in model)
            assert len(seen) == len(model)
        assert list(seen) == sorted(model)
        seen.close()


@given(urls=URLS)
def test_any_str_is_itself_alone(urls):
    seen = SeenUrls(sqlite3.connect(":memory:"), expected=3)
    assert [seen.add(url) for url in urls] == [url not in urls[:i] for i, url in enumerate(urls)]
    assert set(seen) == set(urls) and len(seen) == len(set(urls))
    seen._db.close()


def test_a_set_is_found_again(tmp_path):
    for expected in (None, 100):
        path = tmp_path / f"{expected}.db"
        with SeenUrls(path, expected=expected) as seen:
            seen.add_many(urls_of(50))
        with SeenUrls(path, expected=expected) as seen:
            assert len(seen) == 50 and seen.add_many(urls_of(60)) == [False] * 50 + [True] * 10


def test_a_set_in_somebody_elses_database_is_committed_by_its_owner(tmp_path):
    db = sqlite3.connect(tmp_path / "crawl.db")
    seen = SeenUrls(db)
    db.commit()
    seen.add("http://a.example/")
    seen.commit()
    db.rollback()
    assert "http://a.example/" not in SeenUrls(db)
    seen = SeenUrls(db)
    seen.add("http://a.example/")
    seen.close()
    db.commit()
    db.execute("SELECT 1")  # not closed
    assert "http://a.example/" in SeenUrls(db)
    db.close()


KILLED = """
import sys
from ircourse.crawl import SeenUrls
seen = SeenUrls(sys.argv[1], expected=1000)
i = 0
while True:
    seen.add_many([f"http://a.example/{j}" for j in range(i, i + 100)])
    i += 100
    if i % 300 == 0:
        seen.commit()
        print(i, flush=True)
"""


@pytest.mark.parametrize("lines", [1, 2, 5, 9, 14])
def test_what_was_committed_survives_a_kill(tmp_path, lines):
    path = tmp_path / "seen.db"
    command = [sys.executable, "-c", KILLED, path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        for _ in range(lines):
            committed = int(process.stdout.readline())
        process.kill()
    with SeenUrls(path) as seen:
        assert len(seen) >= committed and len(seen) % 300 == 0
        assert set(seen) == {f"http://a.example/{i}" for i in range(len(seen))}
        assert seen._db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_what_is_no_database_is_told(tmp_path):
    other = tmp_path / "notes.txt"
    other.write_text("no database, " * 100, encoding="utf-8")
    with pytest.raises(ValueError, match=r"notes\.txt does not open as a set of seen URLs"):
        SeenUrls(other)
    with pytest.raises(ValueError, match="does not open"):
        SeenUrls(tmp_path / "no folder" / "seen.db")
    with sqlite3.connect(tmp_path / "other.db") as db:
        db.execute("CREATE TABLE seen (name TEXT)")
    db.close()
    with pytest.raises(ValueError, match="does not open"):
        SeenUrls(tmp_path / "other.db")
    assert "no database" in other.read_text(encoding="utf-8")


def test_what_is_no_url_is_told_by_the_set(tmp_path):
    with SeenUrls(tmp_path / "seen.db") as seen:
        for call, wrong in ((seen.add, None), (seen.add_many, [b"x"]), (seen.add_many, "http://a.example/")):
            with pytest.raises(TypeError, match="str"):
                call(wrong)
        assert len(seen) == 0
