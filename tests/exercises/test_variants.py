"""Variants: numbers of one's own, one right answer, every known wrong one far enough from it."""

import ast
from fractions import Fraction
from itertools import pairwise
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.exercises import EXERCISES, Variant, check, variant

IDS = 20_000


@pytest.mark.parametrize("exercise", EXERCISES)
def test_20_000_ids_get_sensible_variants_and_no_neighbours_share(exercise):
    module = EXERCISES[exercise]
    drawn = [variant(exercise, f"s{i:05}", "a secret") for i in range(IDS)]
    assert all(one.numbers != other.numbers for one, other in pairwise(drawn))
    assert all(one.numbers != module.BOOK[0] for one in drawn)
    for one in set(drawn):
        (right,) = module.right(one.numbers, one.reading)
        assert right.value > 0
        for known in module.wrong(one.numbers, one.reading):
            apart = abs(known.value - right.value) / (right.value if module.RELATIVE else 1)
            assert apart >= Fraction(1, 50), (one, known)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_ids_a_class_apart_do_not_share_either(exercise):
    drawn = [variant(exercise, f"s{i}") for i in range(250)]
    assert len(set(drawn)) == 250


@pytest.mark.parametrize("exercise", EXERCISES)
def test_every_variant_takes_its_right_answer_and_no_wrong_one(exercise):
    module = EXERCISES[exercise]
    for numbers, reading in module.choices()[::7]:
        one = Variant(exercise, numbers, reading)
        (right,) = module.right(numbers, reading)
        assert check(exercise, right.value, one) == check(exercise, str(right.value), one)
        assert check(exercise, float(right.value), one).correct
        for known in module.wrong(numbers, reading):
            assert not check(exercise, known.value, one).correct
            assert check(exercise, known.value, one).message in {
                k.says for k in module.wrong(numbers, reading)
            }


def test_variants_of_19_8_keep_the_agreed_bounds():
    for (a, b), reading in EXERCISES["19.8"].choices():
        a, b = Fraction(a, 100), Fraction(b, 100)
        assert b - b * b / 2 < a < b
        assert a / b not in (Fraction(2, 3), Fraction(3, 4))
        assert reading in ("together", "independent")


def test_no_variant_of_19_9_lets_a_wrong_way_pass():
    # Two of the wrong ways are right for one row of the universe; drawn with replacement it is the same.
    for (n, union, both, rows), _ in EXERCISES["19.9"].choices():
        assert rows >= 2 and comb(n, rows) <= 8000
        one, J = Variant("19.9", (n, union, both, rows)), Fraction(both, union)
        for wrong in (J * (1 - Fraction(n - union, n) ** rows), Fraction(both, n), J):
            assert not check("19.9", wrong, one).correct


def test_no_variant_of_19_8_takes_a_percentage_from_the_wrong_index():
    for (a, b), reading in EXERCISES["19.8"].choices():
        removed = 1 - Fraction(a, b)
        for share in (Fraction(a, 100), Fraction(b, 100) ** 2, Fraction(1)):
            feedback = check("19.8", 1 - 2 * removed / share, Variant("19.8", (a, b), reading))
            assert feedback.correct == (share == 1 and reading == "together")


@pytest.mark.parametrize("exercise", EXERCISES)
def test_no_two_variants_have_the_same_numbers(exercise):
    numbers = [numbers for numbers, _ in EXERCISES[exercise].choices()]
    assert len(set(numbers)) == len(numbers) > 250


def test_the_secret_and_the_exercise_change_the_draw():
    drawn = [variant("19.7", f"s{i}", secret) for secret in ("", "one", "two") for i in range(300)]
    same = sum(drawn[i] == drawn[300 + i] for i in range(300))
    assert same < 6  # 300 in 1,673 ways: 0.18 a pair expected


@given(st.text(min_size=1, max_size=30).filter(str.strip))
def test_any_id_gets_a_variant_and_the_same_each_time(student):
    assert variant("19.9", student, "x") == variant("19.9", f" {student}\n", "x")


def test_an_id_keeps_its_variant_for_good():
    assert variant("19.7", "s017", "salt") == Variant("19.7", PINNED)


PINNED = (24, 57)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_repr_of_a_variant_makes_it_again(exercise):
    one = variant(exercise, "s017")
    call = ast.parse(repr(one), mode="eval").body
    assert Variant(*map(ast.literal_eval, call.args)) == one


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_statement_says_every_number_and_the_reading(exercise):
    one = variant(exercise, "s017")
    assert all(f"{number:,}" in one.statement for number in one.numbers)
    if exercise == "19.8":
        assert "crawled together" in one.statement or "crawled independently" in one.statement


@pytest.mark.parametrize("student", ["", "  \n"])
def test_an_empty_id_is_an_error(student):
    with pytest.raises(ValueError, match="give the id"):
        variant("19.7", student)


@pytest.mark.parametrize("exercise", ["19.6", "", None, []])
def test_an_exercise_that_there_is_not_is_an_error(exercise):
    with pytest.raises(ValueError, match=r"choose from 19\.7, 19\.8, 19\.9, 19\.10"):
        check(exercise, 1)
