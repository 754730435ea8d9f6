"""Answers: every form that is read, every wrong one that the book's numbers can lead to."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.exercises import EXERCISES, Variant, check, read_answer, variant

FORMS = [
    ("5/3", Fraction(5, 3)),
    ("5:3", Fraction(5, 3)),
    (" 5 : 3 ", Fraction(5, 3)),
    ("1.667", Fraction(1667, 1000)),
    ("1,667", Fraction(1667, 1000)),
    ("0.5/0.3", Fraction(5, 3)),
    ("166.7 %", Fraction(1667, 1000)),
    ("+.5", Fraction(1, 2)),
    ("−2", Fraction(-2)),
    ("2^64", Fraction(2**64)),
    ("2**64/5", Fraction(2**64, 5)),
    ("3.69e18", Fraction(369 * 10**16)),
    ("1,234,567", Fraction(1234567)),
    (0.5, Fraction(1, 2)),
    (3, Fraction(3)),
    (Fraction(5, 3), Fraction(5, 3)),
    (np.float64(0.25), Fraction(1, 4)),
    (np.int64(7), Fraction(7)),
]


@pytest.mark.parametrize("answer, number", FORMS, ids=lambda value: repr(value))
def test_a_form_is_read(answer, number):
    assert read_answer(answer) == number


class Unprintable:
    def __repr__(self):
        raise RuntimeError


@pytest.mark.parametrize(
    "answer",
    [
        *["", "five thirds", "1/0", "1/2/3", "0x10", "1e9999", "5 to 3!", "9" * 100, "inf"],
        *[None, True, [5, 3], 1j, float("nan"), float("inf"), Unprintable(), ...],
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_number_is_told_and_not_right(answer):
    feedback = check("19.7", answer)
    assert not feedback.correct
    assert "give a number such as 5/3" in feedback.message
    assert len(feedback.message) < 250


@given(st.text(max_size=70))
def test_no_text_makes_check_raise(text):
    assert isinstance(check("19.8", text).correct, bool)


@pytest.mark.parametrize(
    "answer, words",
    [
        ("3/5", "upside down"),
        (0.15, "product"),
        (0.2, "difference"),
        ("7/5", "not in common"),
        ("2/3", "by how much"),
        ("5/8", "A's part of the two sizes added up"),
        ("3/8", "B's part of the two sizes added up"),
        ("5/7", "not in common"),
        (-0.2, "difference"),
        ("3/13", "both hold"),
    ],
)
def test_19_7_knows_the_book_s_wrong_answers(answer, words):
    feedback = check("19.7", answer)
    assert not feedback.correct and words in feedback.message


@pytest.mark.parametrize(
    "answer, words",
    [
        (0.9, "second copy is forgotten"),
        (0.1, "B removed"),
        (0.2, "with a duplicate"),
        ("8/9", "B's index"),
        ("7/9", "relative to B"),
        (0.95, "subtracted"),
    ],
)
def test_19_8_knows_the_book_s_wrong_answers(answer, words):
    feedback = check("19.8", answer)
    assert not feedback.correct and words in feedback.message


@pytest.mark.parametrize("answer, words", [("4/5", "crawled together"), ("60%", "crawled independently")])
def test_19_8_as_the_book_puts_it_has_two_readings_and_names_the_one_taken(answer, words):
    feedback = check("19.8", answer)
    assert feedback.correct and words in feedback.message


@pytest.mark.parametrize("reading, mine, other", [("together", 0.8, 0.6), ("independent", 0.6, 0.8)])
def test_a_reading_that_is_fixed_holds(reading, mine, other):
    fixed = Variant("19.8", (45, 50), reading)
    assert check("19.8", mine, fixed).correct
    feedback = check("19.8", other, fixed)
    assert not feedback.correct and "another reading" in feedback.message


@pytest.mark.parametrize("answer", ["5/14", 0.357])
def test_19_9_takes_the_mean_with_0_for_0_0(answer):
    assert check("19.9", answer).correct


@pytest.mark.parametrize("answer", ["2^64/5", 3.69e18, Fraction(200 * (2**64 + 1), 1001)])
def test_19_10_takes_a_fifth_of_the_universe(answer):
    assert check("19.10", answer).correct


@pytest.mark.parametrize(
    "exercise, answer, words",
    [
        ("19.7", 1.7, "three digits after the point"),
        ("19.7", "1.66", "three digits after the point"),
        ("19.10", "3.6e18", "four digits"),
        ("19.10", 4e18, "four digits"),
        ("19.8", 80, "Per cent need their sign"),
        ("19.7", 12, "Write it down both ways"),
        ("19.8", -3, "how large B's index is"),
        ("19.9", 7, "Split the samples"),
        ("19.10", 0, "gaps"),
    ],
)
def test_an_answer_that_nobody_knows_gets_a_hint(exercise, answer, words):
    feedback = check(exercise, answer)
    assert not feedback.correct and words in feedback.message


@pytest.mark.parametrize("near", [Fraction(33, 20), "33/20", 1.6512345, "1.6512", "1.65:1", 1.65, 2])
def test_a_number_near_the_right_one_is_not_praised_for_it(near):
    feedback = check("19.7", near)
    assert not feedback.correct and "Write it down both ways" in feedback.message


def test_a_percentage_taken_from_the_wrong_index_is_told():
    own = Variant("19.8", (42, 43), "independent")  # 0.8893 was near 0.8918
    assert own not in [Variant("19.8", *choice) for choice in EXERCISES["19.8"].choices()]
    own = Variant("19.8", (75, 80), "independent")
    feedback = check("19.8", 1 - 2 * (1 - 75 / 80) / 0.75, own)
    assert not feedback.correct and "A's or B's" in feedback.message


@pytest.mark.parametrize("reading, urls", [("together", Fraction(4, 5)), ("independent", Fraction(3, 5))])
def test_distinct_pages_for_urls_are_told(reading, urls):
    feedback = check("19.8", urls / (urls + (1 - urls) / 2), Variant("19.8", (45, 50), reading))
    assert not feedback.correct
    assert "distinct pages" in feedback.message or "B's index" in feedback.message


@pytest.mark.parametrize(
    "wrong, words",
    [
        (Fraction(2, 5) * (1 - Fraction(3, 8) ** 3), "may come twice"),
        (1 - Fraction(20, 56), "meets the intersection"),
        (Fraction(2, 8), "share of all rows"),
    ],
)
def test_19_9_knows_other_ways_to_draw_and_to_count(wrong, words):
    feedback = check("19.9", wrong, Variant("19.9", (8, 5, 2, 3)))
    assert not feedback.correct and words in feedback.message


def test_a_variant_of_another_exercise_is_an_error():
    with pytest.raises(ValueError, match=r"one of exercise 19\.8"):
        check("19.7", 1, variant("19.8", "s1"))


def test_no_message_gives_the_right_answer_away():
    for exercise, module in EXERCISES.items():
        numbers, reading = module.BOOK
        says = [known.says for known in module.wrong(numbers, reading)] + [module.HINT]
        for known in module.right(numbers, reading):
            assert not [text for text in says if str(known.value) in text], exercise
