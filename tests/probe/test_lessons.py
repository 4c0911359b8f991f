"""The lessons run on each service that a probe calls usable, with the file that it wrote."""

import json
import re
from pathlib import Path

import pytest
from third_service.deviations import DEVIATIONS
from third_service.hooks import FILL, FOLLOW
from third_walks import Running, follow

import paylab

FOLDER = Path(__file__).parent.parent.parent / "notebooks"
LESSONS = ("10", "20", "30", "40")
SAMPLE = ("unique-phone", "onramp-reference", "onramp-destination", "renamed-payout-method")
OF_THE_READER = {
    "amounts-whole": ("30", "40"),
    "amounts-fixed": ("10", "20", "40"),
    "amounts-minimum": ("40",),
    "amounts-maximum": ("10", "20", "30", "40"),
    "cap": ("10", "20"),
    "images-one": ("10", "20"),
    "images-least": ("10", "20"),
    "kyc-none": ("10", "20"),
    "late-lists": ("40",),
    "times-unix": ("40",),
}
"""Lessons that need another amount or image, or a pause: the refusal says so, and no setting can.

`kyc-none` asks for no images, and orders cannot be compared with lists that are late or have no
readable times.
"""
FOLLOWED = [name for name, each in DEVIATIONS.items() if each.client in (FOLLOW, FILL)]


def cells(lesson):
    """The code of a lesson, which is given its lab."""
    (path,) = FOLDER.glob(f"{lesson}_*.ipynb")
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "code":
            yield re.sub(r"^lab = paylab.connect\(\)$", "", "".join(cell["source"]), flags=re.M)


def run_lesson(names, lesson, service):
    """Run the cells of a lesson on a new service with these deviations."""
    with Running(*names).lab(service) as lab:
        names = {"lab": lab, "paylab": paylab}
        for source in cells(lesson):
            exec(source, names)


def test_lessons_run_with_the_file_of_a_walk(tmp_path, monkeypatch):
    """Whoever uses the file can follow the lessons."""
    assert check_lessons(*SAMPLE, folder=tmp_path, monkeypatch=monkeypatch)


@pytest.mark.whole_table
@pytest.mark.parametrize("name", FOLLOWED)
def test_lessons_run_on_every_usable_service(name, tmp_path, monkeypatch):
    """The people and payouts of a walk are those of the lessons."""
    if not check_lessons(name, folder=tmp_path, monkeypatch=monkeypatch):
        pytest.skip("the walk does not call it usable")


def check_lessons(*names, folder, monkeypatch):
    """Probe a service; if it is usable with its file, run each lesson on a new one like it."""
    monkeypatch.chdir(folder)
    report, is_usable = follow(*names)
    for lesson in LESSONS if is_usable else ():
        if any(lesson in OF_THE_READER.get(name, ()) for name in names):
            with pytest.raises(paylab.PaylabError):
                run_lesson(names, lesson, report.service)
        else:
            run_lesson(names, lesson, report.service)
    return is_usable
