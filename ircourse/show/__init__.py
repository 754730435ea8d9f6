"""Plots and explorers: everything that is seen.

An explorer is one of five forms and four pure functions:

    states(**controls)  the states, a sequence with at least one (`Sliders`, `Table`: state(**controls), one)
    draw(state)         a `Drawing`: graph_svg, lists_svg, charts_svg, put together by svg.beside, svg.below
    describe(state)     a sentence or two: shown above the picture, and its text alternative
    table(state)        rows, the first the heads: the same values to read

    Player(states, draw, describe, table, title=…, notice=…, controls={…}, start=0)   states in order
    Editor(Text(…), states, draw, describe, table, …)   a player; states gets the input as ``text``
    Sliders(state, draw, describe, table, …)            numbers to one figure
    Comparison(("left", "right"), states, draw, …)      states gives two traces, shown side by side
    Table(state, describe, table, …)                    values to read

Controls are `Choice(label, options)`, `Number(label, low, high, value, step)`, `Text(label, value, parse)`,
by the name of the parameter of ``states``. A factory annotated ``-> Explorer``, callable without arguments,
is found and driven by the tests. Each explorer has ``.drive()``, ``.static()``, ``.alt()`` and
``.redraw_seconds``, and shows itself as a cell's last value.

    ask("questions/20_1_spiders.json", *ids)   check yourself; the file's form is told in question_files.py
    guess = predict(question, choices)         then, in a later cell, guess.beside(result)
    source(function)                           the package's own code in a chapter

Graphs: ``GraphPicture(nodes, edges, roots)`` once, then ``.draw({node: look}, strong=edges)`` at each step;
looks are named in style.LOOKS. matplotlib figures: ``with plt.rc_context(matplotlib_style()):``.
"""
