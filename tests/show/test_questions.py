"""Feedback for every answer; files are checked; predictions are kept."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.show.controls import HOSTILE
from ircourse.show.predict import predict
from ircourse.show.questions import Question, ask, load_questions, read_number

CHOICE = {
    "id": "loop",
    "question": "What does SPIDER1 do in a loop?",
    "choices": [
        {"text": "It goes on for ever.", "right": True, "feedback": "Nothing tells it what it has seen."},
        {"text": "It stops.", "right": False, "feedback": "Its stack is never empty."},
    ],
}
NUMBER = {
    "id": "copies",
    "question": "How many copies of G?",
    "answer": 4,
    "unit": "copies",
    "feedback": "One for each path.",
    "otherwise": "Count the paths from A to G.",
    "known": [{"value": 2, "feedback": "That is one diamond."}],
}


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "questions.json"
    file.write_text(json.dumps([CHOICE, NUMBER]), encoding="utf-8")
    return file


def test_every_choice_has_its_feedback():
    question = Question(CHOICE)
    assert question.answer(1) == "Its stack is never empty." and question.right is False
    question.buttons[0].click()
    assert question.right is True and "Nothing tells it" in question._says.value


def test_a_number_is_right_known_or_other():
    question = Question(NUMBER)
    said = [question.answer(given) for given in ("4", "2", "7", "four")]
    assert said[:3] == ["One for each path.", "That is one diamond.", "Count the paths from A to G."]
    assert "'four' is not a number" in said[3] and question.right is None
    question.field.value = "4.0"  # Enter
    assert question.right is True


def test_tolerance():
    question = Question({**NUMBER, "answer": 0.4, "tolerance": 0.01, "unit": ""})
    assert [bool(question.answer(x) and question.right) for x in ("0.405", "40%", "2/5", "0.42")] == [
        True,
        True,
        True,
        False,
    ]


@given(st.text(max_size=30))
def test_any_text_is_a_finite_number_or_none(text):
    value = read_number(text)
    assert value is None or abs(value) < float("inf")


@given(st.integers(-(10**12), 10**12))
def test_numbers_with_separators(number):
    assert read_number(f"{number:,}") == number


def test_a_file_is_asked_whole_or_in_part(path):
    assert len(ask(path).questions) == 2
    assert [q.item["id"] for q in ask(path, "copies").questions] == ["copies"]
    assert ask(path).drive() == 2 + 6
    with pytest.raises(ValueError, match="no question 'lop': it has loop, copies"):
        ask(path, "lop")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": ""}, "id of its own"),
        ({"question": ""}, "what is asked"),
        ({"answer": 3}, "either"),
        ({"choices": CHOICE["choices"][:1]}, "1 choices"),
        ({"choices": [{**c, "right": False} for c in CHOICE["choices"]]}, "no choice is right"),
        ({"choices": [{**c, "feedback": ""} for c in CHOICE["choices"]]}, "each choice needs"),
    ],
)
def test_a_faulty_file_is_refused(tmp_path, change, message):
    file = tmp_path / "bad.json"
    file.write_text(json.dumps([{**CHOICE, **change}]), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        load_questions(file)


def test_the_same_id_twice_is_refused(tmp_path):
    file = tmp_path / "bad.json"
    file.write_text(json.dumps([CHOICE, CHOICE]), encoding="utf-8")
    with pytest.raises(ValueError, match="id of its own"):
        load_questions(file)


def test_static_pages_show_question_and_choices(path):
    bundle = ask(path)._repr_mimebundle_()
    for words in ("What does SPIDER1 do", "It goes on for ever.", "It stops.", "How many copies"):
        assert words in bundle["text/html"]
    assert "Nothing tells it" not in bundle["text/html"]  # no answers
    assert bundle["text/plain"] == "2 questions"


def test_hostile_words_stay_text():
    choices = [{"text": HOSTILE, "right": True, "feedback": HOSTILE}] * 2
    question = Question({"id": "x", "question": HOSTILE, "choices": choices})
    question.drive()
    for html in (question._says.value, question._repr_mimebundle_()["text/html"]):
        assert "<img" not in html and "<script" not in html


def test_a_prediction_is_none_until_made_and_then_shown_beside_the_result():
    guess = predict("How often?", ["1 in 5", "2 in 5"])
    assert guess.value is None
    early = guess.beside("2 in 5")
    assert repr(early) == "Predicted: none yet. Result: 2 in 5."
    guess.buttons[0].click()
    assert repr(early) == "Predicted: 1 in 5. Result: 2 in 5." and "1 in 5" in early.value
    assert repr(guess.beside("2 in 5")) == "Predicted: 1 in 5. Result: 2 in 5."
    assert "<table" in guess.beside(HOSTILE).value
    assert "<img" not in guess.beside(HOSTILE).value


def test_a_number_predicted():
    guess = predict("How many?")
    guess.field.value = "12"
    guess.field.value = "many"
    assert guess.value == 12 and "is not a number" in guess._says.value
    assert repr(guess.beside(1 / 3)) == "Predicted: 12. Result: 0.3333."
    guess.drive()
    assert guess.value is None


def test_too_few_choices_to_predict_from():
    with pytest.raises(ValueError, match="give 2 to 8"):
        predict("?", ["one"])
