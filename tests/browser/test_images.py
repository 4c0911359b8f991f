"""The images form as a person meets it: files, refusals, a second try, and what is left behind."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256

import pytest

from paylab.spec.codes import IMAGE_MAX
from paylab.views.specimens import specimen

BEGIN = """import paylab
lab = paylab.connect()
fields = paylab.examples.individual("MX", consent_at=lab.clock())
person = lab.individuals.create(**(fields | {"family_name": "Verification Image Blurry"}))"""
FORM = """from functools import partial
from paylab.views.images import ImagesForm
upload = partial(lab.individuals.upload_images, person.id)
form = ImagesForm(upload, person.status_details, name="Ana", country="MX")
form"""
AGAIN = """person = lab.individuals.wait(person.id)
again = ImagesForm(upload, person.status_details, name="Ana", country="MX")
again"""
HASHED = """from hashlib import sha256
from paylab.views.images import ImagesForm
hashes = {}
def upload(images):
    hashes.update({side: sha256(file.read()).hexdigest() for side, file in images.items()})
    return lab.individuals.upload_images(person.id, images)
form = ImagesForm(upload, person.status_details, name="Ana", country="MX")
form"""
CUT_OFF = """all => all.filter(one => one.scrollWidth > one.clientWidth + 2
  && one.clientWidth > 0 && !['PRE', 'SELECT', 'INPUT'].includes(one.tagName))
  .map(one => one.className)"""
FRONT, SELFIE = "Front of the document", "Selfie"


@pytest.fixture(name="photos")
def files(tmp_path):
    """Files to choose: by name their size in bytes, all of them good pictures at their start."""

    def make(name, size):
        data = specimen("selfie" if "selfie" in name else "document-front")
        path = tmp_path / name
        path.write_bytes(data.ljust(size, b"\0"))
        return path

    return make


def choose(notebook, label, path):
    """Choose a file in a slot; its input is on the page, so that any tool can reach it."""
    notebook.label(f"{label}: choose a file").last.set_input_files(path)


def test_rejected_and_retried(notebook, photos):
    """Blurry: the form says so in words, and takes other images."""
    opened = notebook("images.ipynb", [BEGIN, FORM, "form.submit()", AGAIN])
    for _ in range(2):
        opened.run_next()
    choose(opened, FRONT, photos("front.jpg", 100_000))
    opened.says("Chosen: from a file, JPEG, 97 KB")
    choose(opened, SELFIE, photos("selfie.jpg", 110_000))
    opened.says("Chosen: from a file, JPEG, 107 KB")
    opened.shot("images-chosen")
    opened.button("Upload the images").click()
    opened.says("The images are uploaded")
    opened.run_next()
    opened.run_next()
    opened.says("A picture is too blurred to be read.")
    opened.shot("images-refused")
    choose(opened, SELFIE, photos("selfie2.jpg", 120_000))
    opened.says("Chosen: from a file, JPEG, 117 KB")
    opened.button("Upload the images").click()
    opened.outputs.get_by_text("The images are uploaded").nth(1).wait_for()


def test_twelve_megabytes(notebook, photos):
    """Above what a Jupyter server takes in one message; every byte arrives, and none is saved."""
    front, selfie = photos("front.jpg", 12 * 2**20), photos("selfie.jpg", IMAGE_MAX)
    opened = notebook("large.ipynb", [BEGIN, HASHED, "hashes"])
    opened.run_next()
    opened.run_next()
    choose(opened, FRONT, front)
    opened.says("Chosen: from a file, JPEG, 12.0 MB")
    choose(opened, SELFIE, selfie)
    opened.says("Chosen: from a file, JPEG, 15.0 MB")
    opened.button("Upload the images").click()
    opened.says("The images are uploaded")
    opened.run_next()
    for path in (front, selfie):
        opened.says(sha256(path.read_bytes()).hexdigest())
    saved = opened.save()
    assert "The images are uploaded" not in saved
    assert b64encode(front.read_bytes()[:300]).decode() not in saved
    assert ";base64," not in saved


def test_ways_in(notebook, photos):
    """What is too large is refused before a byte is sent; a path and a specimen do as well."""
    opened = notebook("images.ipynb", [BEGIN, FORM])
    opened.run_all()
    choose(opened, FRONT, photos("front.jpg", IMAGE_MAX + 1))
    opened.says("has 15.0 MB, and at most 15 MB can be sent")
    choose(opened, FRONT, photos("front.txt", 100_000))
    opened.says("Chosen: from a file, JPEG")
    path = opened.label(f"{FRONT}: or a path on disk")
    path.fill("/nowhere/photo.jpg")
    path.press("Enter")
    opened.says("cannot be read: No such file or directory")
    path.fill(str(photos("front.jpg", 100_000)))
    path.press("Enter")
    opened.says("Chosen: from disk, JPEG, 97 KB")
    opened.label(f"{SELFIE}: or a specimen").select_option("image glare")
    opened.says("Chosen: a specimen, JPEG")
    opened.page.get_by_alt_text("Preview: Selfie").wait_for()
    opened.shot("images-light")
    opened.theme("dark")
    opened.shot("images-dark")


def test_widths(notebook):
    """Nothing is cut off on a narrow page, nor on a wide one."""
    opened = notebook("images.ipynb", [BEGIN, FORM], height=1600)
    opened.run_all()
    opened.button("Fill with specimens").click()
    opened.says("Chosen: a specimen")
    for width in (400, 1600):
        opened.page.set_viewport_size({"width": width, "height": 1600})
        opened.shot(f"images-{width}")
        assert opened.page.locator(".paylab-form *").evaluate_all(CUT_OFF) == []
