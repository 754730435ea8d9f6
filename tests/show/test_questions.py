"""Feedback for every answer; files are checked; predictions are kept."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.show.controls import HOSTILE
from ircourse.show.predict import predict
from ircourse.show.question_files import check, load_questions
from ircourse.show.questions import Question, ask, read_number

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


DEEP = "[" * 100_000 + "]" * 100_000
FILES = {
    "an object": ("{}", "give a list of questions"),
    "null": ("null", "give a list of questions"),
    "no object": ('["a"]', r"question 1: is 'a'; write it as an object"),
    "an id that is none": ('[{"id": 7}]', r"question 1 \(7\): give each question an id of its own"),
    "no JSON": ('[{"id": }]', "not JSON: Expecting value: line 1"),
    "nothing": ("", "not JSON"),
    "too deep": (DEEP, "nested too deeply|question 1: is"),
    "a deep question": (f'[{{"id": "a", "question": {DEEP}}}]', "nested too deeply|say what is asked"),
    "too many digits": (f"[{'9' * 10_000}]", "not JSON|question 1: is"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_another_form_is_told(tmp_path, name):
    text, message = FILES[name]
    file = tmp_path / "bad.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message) as caught:
        load_questions(file)
    assert str(caught.value).startswith(str(file)) and len(str(caught.value)) < len(str(file)) + 200


def test_a_byte_order_mark_is_read_over(path):
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert list(load_questions(path)) == ["loop", "copies"]


def test_a_file_in_another_encoding_is_told(path):
    path.write_bytes('[{"id": "é"}]'.encode("latin-1"))
    with pytest.raises(ValueError, match="byte 9 is not UTF-8; save the file as UTF-8"):
        load_questions(path)


FAULTS = [
    *[(CHOICE, "choices", bad, "'choices' must be a list") for bad in ({}, "AB", None, 2)],
    *[(CHOICE, "choices", bad, "each choice needs") for bad in (["a", "b"], [None, None], [[], []])],
    (CHOICE, "choices", [{"text": 1, "right": True, "feedback": "Yes."}] * 2, "each choice needs"),
    (CHOICE, "choices", [{"text": "a", "right": 1, "feedback": "Yes."}] * 2, "each choice needs"),
    *[(CHOICE, "question", bad, "say what is asked") for bad in (7, None, ["a"], " ")],
    *[(NUMBER, "answer", bad, "'answer' is") for bad in (10**400, 10**5000, math.nan, math.inf, True)],
    *[(NUMBER, "answer", bad, "'answer' is") for bad in ("4", None, [4], 1e300)],
    *[(NUMBER, "tolerance", bad, "'tolerance' is") for bad in ("1", None, -1, math.nan, True)],
    *[(NUMBER, "known", bad, "'known' must be a list") for bad in (None, {}, {"value": 1}, "2")],
    *[(NUMBER, "known", [bad], "in 'known' needs a 'value'") for bad in (None, 2, "2", {}, {"value": 2})],
    (NUMBER, "known", [{"value": "1", "feedback": "No."}], "in 'known' needs a 'value'"),
    (NUMBER, "known", [{"value": 1, "feedback": 7}], "in 'known' needs a 'value'"),
    *[(NUMBER, "feedback", bad, "needs 'feedback' and 'otherwise'") for bad in (7, None, "", ["a"])],
    (NUMBER, "otherwise", 7, "needs 'feedback' and 'otherwise'"),
    (NUMBER, "unit", 3, "'unit' must be a word"),
]


@pytest.mark.parametrize(("item", "key", "bad", "message"), FAULTS, ids=lambda value: "")
def test_a_fault_is_told_with_file_question_and_remedy(tmp_path, item, key, bad, message):
    with pytest.raises(ValueError, match=f"^here: .*{message}"):
        check({**item, key: bad}, "here")
    if isinstance(bad, int) and bad > 10**4000:
        return  # not written by json
    file = tmp_path / "bad.json"
    file.write_text(json.dumps([CHOICE | {"id": "first"}, {**item, key: bad}]), encoding="utf-8")
    with pytest.raises(ValueError, match=message) as caught:
        load_questions(file)
    assert str(caught.value).startswith(f"{file}, question 2 ('{item['id']}'): ")


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
KEYS = ["id", "question", "choices", "answer", "tolerance", "unit", "feedback", "otherwise", "known"]


@given(st.sampled_from([CHOICE, NUMBER]), st.sampled_from(KEYS), ANY)
def test_a_question_is_refused_or_can_be_driven(item, key, value):
    changed = {**item, key: value}
    try:
        check(changed)
    except ValueError as error:
        assert str(error).startswith("the question: ")
    else:
        Question(changed).drive()


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
