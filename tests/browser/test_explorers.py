"""Explorers in a real JupyterLab: each control by mouse and by keyboard, hostile names, accessibility."""

import pytest

from ircourse.show.controls import HOSTILE

MAKERS = {
    "try_an_explorer": "from ircourse.show.start import try_an_explorer",
    "search_a_graph": "from ircourse.show.graphs import search_a_graph",
    "watch_spiders": "from ircourse.show.spiders import watch_spiders",
    "cover_with_seeds": "from ircourse.show.seeds import cover_with_seeds",
    "count_in_links": "from ircourse.show.seeds import count_in_links",
}
IDLE = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle'"
ATTACK = HOSTILE.replace("document.title=1", "window.hacked=1")
# ipywidgets gives the handle of its slider no name and no way to set one. The field "Step" beside it, which
# has one, does the same.
KNOWN = {"aria-input-field-name": ".noUi-handle"}


def explorer(page, cell):
    """The output of a cell, its picture shown."""
    output = page.locator(".jp-CodeCell").nth(cell).locator(".jp-OutputArea-output")
    output.locator("svg[role=img]").wait_for()
    output.scroll_into_view_if_needed()
    return output


def picture(output):
    """What the picture shows, in words and in shapes."""
    return output.locator("svg[role=img]").evaluate("svg => svg.outerHTML")


def changed(page, output, before):
    """Wait until the picture is another; return it."""
    page.wait_for_function(
        "([node, before]) => node.querySelector('svg[role=img]')?.outerHTML !== before",
        arg=[output.element_handle(), before],
        timeout=20_000,
    )
    return picture(output)


def button(output, name):
    return output.get_by_role("button", name=name, exact=True)


def check_options(page, output, choose):
    """Choose every option; each must be marked, and some must change the picture."""
    options = output.get_by_role("button", name="○").all_inner_texts()
    seen = {picture(output)}
    for option in options:
        choose(option)
        button(output, option.replace("○", "●")).wait_for()
        page.wait_for_function(IDLE)  # the picture comes before the kernel is idle again
        seen.add(picture(output))
    assert len(seen) > 1 or not options


@pytest.mark.parametrize("make", MAKERS)
def test_every_control_by_mouse(notebook, make):
    page = notebook(f"mouse_{make}", [MAKERS[make], f"{make}()"])
    output = explorer(page, 1)
    seen = picture(output)
    if button(output, "Step ▶").count():
        for name in ("Step ▶", "◀ Back", "To the end ▶|", "|◀ Start", "To the end ▶|"):
            button(output, name).click()
            seen = changed(page, output, seen)
        button(output, "▶ Play").click()  # from the end: begins again
        seen = changed(page, output, seen)
        button(output, "|| Pause").click()
        button(output, "▶ Play").wait_for()
        box = output.locator(".noUi-base").bounding_box()
        button(output, "|◀ Start").click(force=True)
        page.mouse.click(box["x"] + box["width"] * 0.6, box["y"] + box["height"] / 2)
        page.wait_for_function("node => /Step [1-9]/.test(node.textContent)", arg=output.element_handle())
        button(output, "Speed: normal").click()
        button(output, "Speed: fast").wait_for()
    check_options(page, output, lambda option: button(output, option).click())
    for field in output.locator("input[type=number]").all():
        seen = picture(output)
        value = int(field.input_value())
        field.fill(str(value - 1 if value else 1))
        field.press("Enter")
        changed(page, output, seen)
    for field in output.locator("textarea").all():
        seen = picture(output)
        field.fill("X Y\nY Z")
        changed(page, output, seen)
    button(output, "▸ The same as a table").click()
    output.locator("table").first.wait_for()
    assert page.errors == []


@pytest.mark.parametrize("make", MAKERS)
def test_every_control_by_keyboard(notebook, make):
    page = notebook(f"keys_{make}", [MAKERS[make], f"{make}()"])
    output = explorer(page, 1)
    active = page.locator(".jp-Cell.jp-mod-active")
    where = active.get_attribute("data-windowed-list-index")
    for name, key in [
        ("Step ▶", "Enter"),
        ("◀ Back", "Space"),
        ("To the end ▶|", "Enter"),
        ("|◀ Start", "Space"),
        ("▶ Play", "Space"),
    ]:
        if button(output, name).count():
            seen = picture(output)
            button(output, name).focus()
            page.keyboard.press(key)
            changed(page, output, seen)
    if button(output, "|| Pause").count():
        button(output, "|| Pause").focus()
        page.keyboard.press("Space")
        button(output, "▶ Play").wait_for()
        for key, old, new in [("Enter", "normal", "fast"), ("Space", "fast", "all in 10 s")]:
            button(output, f"Speed: {old}").focus()
            page.keyboard.press(key)
            button(output, f"Speed: {new}").wait_for()
    for handle in output.locator(".noUi-handle").all():
        seen = picture(output)
        handle.focus()
        page.keyboard.press("End")
        page.keyboard.press("ArrowLeft")
        changed(page, output, seen)
    check_options(page, output, lambda option: button(output, option).press("Enter"))
    for control in output.locator("input[type=number]").all():
        control.focus()
        before = control.input_value()
        page.keyboard.press("ArrowDown")
        if control.input_value() == before:
            page.keyboard.press("ArrowUp")
        assert control.input_value() != before
    for field in output.locator("textarea").all():
        seen = picture(output)
        field.focus()
        page.keyboard.press("ControlOrMeta+A")
        page.keyboard.type("X Y\nY Z")
        assert field.input_value() == "X Y\nY Z"
        changed(page, output, seen)
    button(output, "▸ The same as a table").focus()
    page.keyboard.press("Enter")
    output.locator("table").first.wait_for()
    assert active.get_attribute("data-windowed-list-index") == where  # no key moved to another cell
    assert page.errors == []


def test_hostile_names_run_nothing(notebook):
    web = {ATTACK: [ATTACK, "b"], "b": [ATTACK], f"http://{ATTACK}/": ["javascript:window.hacked=1"]}
    item = {
        "id": "x",
        "question": ATTACK,
        "choices": [{"text": ATTACK, "right": True, "feedback": ATTACK}] * 2,
    }
    page = notebook(
        "hostile",
        [
            "\n".join(MAKERS.values()),
            f"watch_spiders({web!r})",
            f"count_in_links({web!r})",
            f"cover_with_seeds({web!r})",
            f"search_a_graph({ATTACK!r})",
            f"from ircourse.show.questions import Question\nq = Question({item!r})\nq",
            f"from ircourse.show.predict import predict\ng = predict({ATTACK!r}, [{ATTACK!r}, 'b'])\ng",
            f"g.beside({ATTACK!r})",
        ],
    )
    for cell in (1, 2, 4):
        output = explorer(page, cell)
        seen = picture(output)
        button(output, "◀ Back").click()
        changed(page, output, seen)
        button(output, "▸ The same as a table").click()
        output.locator("table").first.wait_for()
    button(page.locator(".jp-CodeCell").nth(5), "A").click()
    page.get_by_text("Right.").wait_for()
    assert page.evaluate("() => window.hacked") is None
    assert page.locator(".jp-OutputArea-output img[src=x], .jp-OutputArea-output script").count() == 0


def test_the_same_one_twice_and_a_student_who_overwrites_names(notebook):
    page = notebook(
        "twice",
        [
            f"{MAKERS['watch_spiders']}\nspiders = watch_spiders()\nspiders",
            "spiders",
            "watch_spiders()",
            "import ircourse.show.spiders as module\nwatch_spiders = states = draw = record = list = None",
        ],
    )
    one, same, other = (explorer(page, cell) for cell in range(3))
    before = picture(other)
    button(one, "Step ▶").click()
    now = changed(page, one, before)
    page.wait_for_function(
        "([node, now]) => node.querySelector('svg[role=img]').outerHTML === now",
        arg=[same.element_handle(), now],
    )
    assert picture(other) == before


LONG = """from ircourse.show.player import Player
from ircourse.show.svg import Drawing, label
Player(
    lambda: range(10_000),
    lambda state: Drawing(200, 20, label(f"state {state}", 0, 15)),
    lambda state: f"The state is {state}.",
    lambda state: [["state"], [state]],
    title="Long",
)"""
# Milliseconds from a key press to another picture on the page.
FROM_KEY_TO_PICTURE = """output => { window.taken = new Promise(done => {
    const shown = () => output.querySelector('svg[role=img]')?.outerHTML, before = shown();
    addEventListener('keydown', press => {
        const watcher = new MutationObserver(() => {
            if (shown() && shown() !== before) {
                watcher.disconnect();
                requestAnimationFrame(() => done(performance.now() - press.timeStamp));
            }
        });
        watcher.observe(output, {subtree: true, childList: true, characterData: true});
    }, {capture: true, once: true});
}) }"""


def test_ten_thousand_states_follow_the_keys(notebook, record_property):
    page = notebook("long", [LONG])
    output = explorer(page, 0)
    taken = {}
    for name in ("Step ▶", "To the end ▶|", "◀ Back", "|◀ Start"):
        button(output, name).focus()
        taken[name] = []
        for _ in range(10 if name in ("Step ▶", "◀ Back") else 1):
            page.evaluate(FROM_KEY_TO_PICTURE, output.element_handle())
            page.keyboard.press("Enter")
            taken[name].append(page.evaluate("window.taken"))
            page.wait_for_function(IDLE)
        print(name, *(f"{milliseconds:.0f}" for milliseconds in taken[name]), "ms")
    record_property("milliseconds from key to picture", taken)
    assert "Step 0 of 9,999." in output.inner_text()


def test_questions_and_predictions(notebook):
    choices = [{"text": "one", "right": True, "feedback": "Well seen."}]
    choices.append({"text": "two", "right": False, "feedback": "One too many."})
    number = {"id": "n", "question": "How many?", "answer": 4, "feedback": "Four it is.", "otherwise": "No."}
    page = notebook(
        "questions",
        [
            "from ircourse.show.questions import Question\nfrom ircourse.show.predict import predict",
            f"Question({ {'id': 'c', 'question': 'Which?', 'choices': choices}!r})",
            f"Question({number!r})",
            "guess = predict('How often?', ['1 in 5', '2 in 5'])\nguess",
        ],
    )
    cells = page.locator(".jp-CodeCell .jp-OutputArea-output")  # the first cell has none
    button(cells.nth(0), "B").focus()
    page.keyboard.press("Enter")
    cells.nth(0).get_by_text("One too many.").wait_for()
    button(cells.nth(0), "A").click()
    cells.nth(0).get_by_text("Well seen.").wait_for()
    cells.nth(1).get_by_label("Answer", exact=True).fill("4")
    page.keyboard.press("Enter")
    cells.nth(1).get_by_text("Four it is.").wait_for()
    button(cells.nth(2), "B").click()
    cells.nth(2).get_by_text("Your prediction: 2 in 5.").wait_for()


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_accessibility(notebook, axe, theme):
    cells = [f"{MAKERS[make]}\n{make}()" for make in MAKERS]
    page = notebook(f"axe_{theme[-4:].strip()}", [*cells, QUESTION])
    page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
    page.wait_for_function(f"document.body.dataset.jpThemeName === {theme!r}")
    for cell in range(len(cells)):
        button(explorer(page, cell), "▸ The same as a table").click()
        explorer(page, cell).locator("table").first.wait_for()
    page.evaluate(axe)
    found = page.evaluate(
        "() => axe.run({include: [['.jp-OutputArea-output']]}, {resultTypes: ['violations']})"
    )
    faults = [
        (rule["id"], rule["help"], node["html"][:200])
        for rule in found["violations"]
        for node in rule["nodes"]
        if not (rule["id"] in KNOWN and KNOWN[rule["id"]].strip(".") in node["html"])
    ]
    assert faults == []
    assert len(found["passes"]) > 5  # it did look


QUESTION = """from ircourse.show.questions import Question
Question({"id": "n", "question": "How many?", "answer": 4, "feedback": "Four.", "otherwise": "No."})"""
