"""Kernels: compiled equals plain, one compilation, every way numba can refuse, ranges over threads."""

import os
import subprocess
import sys
import textwrap
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse import kernels
from ircourse.kernels import in_threads, kernel

numba = pytest.importorskip("numba")


@kernel("uint64(uint64)")
def mix(x):
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    return x ^ (x >> np.uint64(27))


@kernel("uint64(const uint8[:], uint64)")
def mixed_sum(data, start):
    total = start
    for i in range(len(data)):
        total += mix(np.uint64(data[i]) + total)
    return total


@kernel("void(int64, int64, const float64[:], float64[::1])")
def double(start, stop, source, target):
    for i in range(start, stop):
        target[i] = 2.0 * source[i]


def counted(monkeypatch):
    """Count the compilations from here on."""
    calls = []
    compile_ = kernels._compile

    def count(function, signature):
        calls.append(function.__name__)
        return compile_(function, signature)

    monkeypatch.setattr(kernels, "_compile", count)
    return calls


def run(script, **environment):
    """Run a script in a fresh interpreter; return what it printed."""
    root = Path(kernels.__file__).parent.parent
    path = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(script)],
        env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8", **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@given(st.binary(max_size=40), st.integers(0, 2**64 - 1))
def test_compiled_equals_plain_equals_exact_integers(data, start):
    exact, mask = start, 2**64 - 1
    for byte in data:
        x = byte + exact & mask
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & mask
        exact = exact + (x ^ x >> 27) & mask
    array = np.frombuffer(data, np.uint8)  # read-only, as bytes are
    assert mixed_sum(array, start) == int(mixed_sum.plain(array, start)) == exact


def test_plain_has_the_types_of_the_signature():
    assert isinstance(mix.plain(3), np.uint64)
    assert isinstance(mix(3), int)
    with pytest.raises(TypeError, match="takes 1 arguments, not 2"):
        kernel("int64(int64)")(lambda a, b: a).plain(1, 2)


def test_a_kernel_shows_its_name_its_types_and_its_source():
    import inspect

    assert repr(mix) == "<kernel mix: uint64(uint64)>"
    assert "0xBF58476D1CE4E5B9" in inspect.getsource(mix)
    assert "0xBF58476D1CE4E5B9" in inspect.getsource(mix.plain)


@pytest.mark.parametrize("signature", ["", "uint64", "uint64(", "(int64)", "int64)"])
def test_a_wrong_signature_is_told_at_once(signature):
    with pytest.raises(ValueError, match="is no signature"):
        kernel(signature)(abs)


def test_signatures_with_tuples_and_several_dimensions():
    assert kernels._parts("Tuple((int64, uint8[:]))(const int64[:, ::1], UniTuple(int64, 2), boolean)") == [
        "Tuple((int64, uint8[:]))",
        "const int64[:, ::1]",
        "UniTuple(int64, 2)",
        "boolean",
    ]

    @kernel("Tuple((int64, float64))(const int64[:, :], UniTuple(int64, 2), boolean)")
    def several(array, pair, add):
        return array[1, 0] + (pair[1] if add else 0), 0.5

    array = np.arange(4).reshape(2, 2)
    assert several(array, (1, 7), True) == several.plain(array, (1, 7), True) == (9, 0.5)


def test_a_kernel_that_calls_another_file_s_is_not_cached():
    space = {"mix": mix, "kernel": kernel}
    code = compile("@kernel('uint64(uint64)')\ndef outer(x):\n    return mix(x)", kernels.__file__, "exec")
    exec(code, space)
    assert kernels._calls_another_file(space["outer"].__wrapped__)
    assert not kernels._calls_another_file(mixed_sum.__wrapped__)
    assert space["outer"](5) == mix(5)


def test_what_is_wrong_with_a_function_is_told():
    @kernel("int64(int64)")
    def wrong(n):
        return n.missing

    with pytest.raises(numba.TypingError, match="missing"):
        wrong(1)


def test_many_first_calls_compile_once(monkeypatch):
    calls = counted(monkeypatch)

    @kernel("int64(int64)")
    def inner(x):
        return x + 1

    @kernel("int64(int64)")
    def outer(x):
        return inner(x) * 2

    together, results = threading.Barrier(8), []

    def first(function, x):
        together.wait(60)
        results.append(function(x))

    crowd = [threading.Thread(target=first, args=(f, 1)) for f in (inner, outer) * 4]
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join(120)
    assert sorted(results) == [2, 2, 2, 2, 4, 4, 4, 4]
    assert sorted(calls) == ["inner", "outer"]


def test_without_a_place_for_a_cache(monkeypatch):
    # A function that no file holds, as on an interpreter's prompt: numba refuses to cache it.
    space = {"kernel": kernel}
    exec("@kernel('int64(int64)')\ndef square(x):\n    return x * x", space)
    assert space["square"](7) == 49
    assert space["square"]._run.signatures, "compiled, not the plain function"


def test_a_cache_that_cannot_be_written(monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numba.core.caching.Cache.save_overload", full)

    @kernel("int64(int64)")
    def cube(x):
        return x * x * x

    assert cube(3) == 27
    assert cube._run.signatures


SCRIPT = """
import sys
import numpy as np
from ircourse.kernels import in_threads, kernel
assert "numba" not in sys.modules
@kernel("uint64(uint64)")
def mix(x):
    return x * np.uint64(0xBF58476D1CE4E5B9) + np.uint64(2**63)
@kernel("uint64(int64, int64, const uint8[:])")
def total(start, stop, data):
    sum_ = np.uint64(0)
    for i in range(start, stop):
        sum_ += mix(np.uint64(data[i]))
    return sum_
assert "numba" not in sys.modules
print(*map(int, in_threads(total, 1000, np.full(1000, 200, np.uint8), threads=3)))
print("numba.core" in sys.modules)
"""
HIDE = """
import sys
class Hide:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numba", "llvmlite"):
            raise ImportError(f"{name} is hidden")
sys.meta_path.insert(0, Hide())
"""


def test_numba_is_imported_at_the_first_call_and_its_absence_changes_nothing():
    *compiled, there = run(SCRIPT)
    *plain, hidden = run(HIDE + SCRIPT)
    *switched_off, _ = run(SCRIPT, NUMBA_DISABLE_JIT="1")
    assert compiled == plain == switched_off
    assert (there, hidden) == ("True", "False")


@given(st.integers(0, 2000), st.none() | st.integers(1, 7))
def test_ranges_cover_everything_once_in_order(n, threads):
    ranges = in_threads(lambda start, stop: (start, stop), n, threads=threads)
    assert ranges[0][0] == 0
    assert ranges[-1][1] == n
    assert all(a[1] == b[0] for a, b in pairwise(ranges))
    sizes = [stop - start for start, stop in ranges]
    assert max(sizes) - min(sizes) <= 1
    assert len(ranges) == (max(1, min(threads, n)) if threads else len(ranges))


def test_small_work_stays_on_the_calling_thread():
    here = threading.get_ident()
    assert in_threads(lambda a, b: threading.get_ident(), 300) == [here]
    assert here not in in_threads(lambda a, b: threading.get_ident(), 300, threads=2)


def test_threads_fill_one_array():
    source = np.arange(10_000.0)
    target = np.zeros_like(source)
    in_threads(double, len(source), source, target, threads=4)
    assert (target == 2 * source).all()


def test_a_failure_in_a_thread_reaches_the_caller():
    def fail(start, stop):
        raise KeyError(start)

    with pytest.raises(KeyError, match="0"):
        in_threads(fail, 10, threads=2)


@pytest.mark.parametrize(("n", "threads", "named"), [(-1, None, "n is -1"), (5, 0, "threads is 0")])
def test_wrong_numbers_are_named(n, threads, named):
    with pytest.raises(ValueError, match=named):
        in_threads(max, n, threads=threads)
