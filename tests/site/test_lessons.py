"""The lessons of a site, the first page, and the notebooks as a page needs them."""

import json
import re
from pathlib import Path

import pytest

import paylab
from paylab.site.index_page import SiteFacts, index_page
from paylab.site.lessons import (
    LESSONS,
    NOT_IN_PAGE,
    choose_lessons,
    lesson_for_page,
    notebooks_folder,
    saved_outputs,
)
from paylab.site.page import digest

NUMBERS = {"five": 5, "ten": 10, "fifteen": 15, "twenty": 20}


def test_every_notebook_is_a_lesson_or_has_a_reason():
    """A new notebook must be given a card, or a sentence that says why a page cannot run it."""
    stems = {path.stem for path in notebooks_folder().glob("*.ipynb")}
    assert {*LESSONS, *NOT_IN_PAGE} == stems
    assert not LESSONS.keys() & NOT_IN_PAGE.keys()


@pytest.mark.parametrize("stem", LESSONS)
def test_a_card_states_the_minutes_that_its_notebook_states(stem):
    """The time on a card is that in the notebook's first cell."""
    cells = json.loads((notebooks_folder() / f"{stem}.ipynb").read_text())["cells"]
    first = "".join(cells[0]["source"])
    stated = re.search(r"(\w+)\s+minutes", first)
    assert stated is None or NUMBERS[stated[1]] == LESSONS[stem].minutes


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        ([], list(LESSONS)),
        (["20"], ["20_ph_onramp"]),
        (["20_ph_onramp.ipynb", "00", "20"], ["20_ph_onramp", "00_start_here"]),
    ],
)
def test_lessons_are_chosen_by_the_start_of_their_names(names, chosen):
    """Each is taken once, in the order that was asked for."""
    assert [path.stem for path in choose_lessons(names)] == chosen


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("99", "there is no notebook '99'"),
        ("", "there is no notebook ''"),
        ("55", "55_your_backend does not run in a page: It starts a server"),
        ("90", "90_your_tests does not run in a page: It starts pytest"),
        ("../tests", "there is no notebook"),
    ],
)
def test_another_notebook_is_refused_with_its_reason(name, words):
    """A name that is no lesson ends the command before anything is built."""
    with pytest.raises(paylab.ConfigError, match=re.escape(words)):
        choose_lessons([name])


@pytest.mark.parametrize("path", choose_lessons([]), ids=lambda path: path.stem)
def test_a_lesson_for_a_page_has_whole_texts_and_its_own_outputs(path):
    """Only the first cell, the kernel and the form of texts differ from the stored notebook."""
    stored = json.loads(path.read_text())
    lesson = lesson_for_page(path, has_frames=False)
    first, *cells = lesson["cells"]
    assert "storage of this browser" in first["source"]
    assert "pandas show their saved outputs" in first["source"]
    whole = ["".join(cell["source"]) for cell in stored["cells"]]
    absent = re.compile(rf"\[({'|'.join(NOT_IN_PAGE)})\]\([^)]*\)")
    assert [cell["source"] for cell in cells] == [absent.sub(r"\1", source) for source in whole]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    texts = [output["text"] for output in outputs if "text" in output]
    data = [data for output in outputs for data in output.get("data", {}).items()]
    texts += [content for mime, content in data if not mime.endswith("json")]
    assert all(isinstance(text, str) for text in texts)
    saved = saved_outputs([lesson])
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert all(saved[digest(cell["id"], cell["source"])] == cell["outputs"] for cell in code)


@pytest.mark.parametrize(
    ("facts", "words", "absent"),
    [
        (SiteFacts("", False), ["nothing is loaded from elsewhere", "has no pandas"], "<base"),
        (SiteFacts("https://a.example/x/", True), ["https://a.example/x/", "live"], "no pandas"),
        (SiteFacts("", False, "/a&b/"), ['<base href="/a&amp;b/">'], "<!-- base"),
    ],
)
def test_the_first_page_says_what_its_site_does(facts, words, absent):
    """It has a card for each lesson, the runtime, what is shared, and what needs `paylab lab`."""
    paths = choose_lessons(["00", "20"])
    page = index_page(paths, facts)
    links = re.findall(r'href="notebooks/index\.html\?path=([^"]+)"', page)
    assert links == [path.name for path in paths]
    fixed = ["Every page of this address can read it", "10 minutes", *NOT_IN_PAGE.values()]
    assert [text for text in [*words, *fixed] if text not in page.replace("\n", " ")] == []
    assert absent not in page
    assert not re.search(r"<!-- (base|cards|others|runtime|frames) -->", page)


def test_the_first_page_loads_nothing():
    """It has no script and no address of another host."""
    page = index_page(choose_lessons([]), SiteFacts("", False))
    scripts = re.findall(r"<script[^>]*>", page)
    assert all("application/json" in script for script in scripts)
    assert not re.search(r"(?:src|href)=\"?(?:https?:)?//", page)


def test_the_template_names_each_part_once():
    """Every part that the program fills in is in the template."""
    template = (Path(paylab.__file__).parent / "site" / "index.html").read_text()
    parts = ("base", "cards", "others", "runtime", "frames")
    assert [template.count(f"<!-- {part} -->") for part in parts] == [1] * len(parts)
