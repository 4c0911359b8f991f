"""The images form in a browser: files, refusals, a second attempt, and what is saved."""

from __future__ import annotations

import re
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
  && one.clientWidth > 0 && !['PRE', 'SELECT', 'INPUT'].includes(one.tagName)
  && !one.classList.contains('paylab-unseen'))
  .map(one => one.className)"""
FRONT, SELFIE = "Front of the document", "Selfie"


@pytest.fixture(name="photos")
def files(tmp_path):
    """Files to choose, by name and size in bytes; each starts like a valid picture."""

    def make(name, size):
        data = specimen("selfie" if "selfie" in name else "document-front")
        path = tmp_path / name
        path.write_bytes(data.ljust(size, b"\0"))
        return path

    return make


def choose(notebook, label, path):
    """Choose a file in a slot through its file input."""
    notebook.label(f"{label}: file").last.set_input_files(path)


def test_a_file_of_twelve_megabytes_arrives_completely(notebook, photos):
    """A file above Jupyter's message limit arrives completely and is not saved in the notebook."""
    front, selfie = photos("front.jpg", 12 * 2**20), photos("selfie.jpg", IMAGE_MAX)
    opened = notebook("large.ipynb", [BEGIN, HASHED, "hashes"])
    opened.run_next()
    opened.run_next()
    choose(opened, FRONT, front)
    opened.says("Chosen: front.jpg, JPEG, 12.0 MB")
    choose(opened, SELFIE, selfie)
    opened.says("Chosen: selfie.jpg, JPEG, 15.0 MB")
    opened.button("Upload the images").click()
    opened.says("The images are uploaded")
    opened.run_next()
    for path in (front, selfie):
        opened.says(sha256(path.read_bytes()).hexdigest())
    saved = opened.save()
    assert "The images are uploaded" not in saved
    assert b64encode(front.read_bytes()[:300]).decode() not in saved
    assert ";base64," not in saved


def test_every_way_to_choose_an_image_leads_to_a_clear_state(notebook, photos):
    """Each way to choose an image leads to one clear state; refused images can be retried."""
    opened = notebook("images.ipynb", [BEGIN, FORM, AGAIN], height=1700)
    opened.run_next()
    opened.run_next()
    opened.says("Empty")
    choose(opened, FRONT, photos("front.jpg", IMAGE_MAX + 1))
    opened.says(re.compile("Refused before sending: front.jpg has 15.00 MB .15,728,641 bytes."))
    front = opened.outputs.locator(".paylab-part").filter(has_text=FRONT)
    assert not front.get_by_text("The service says").count()
    choose(opened, FRONT, photos("front.txt", 100_000))
    opened.says("Chosen: front.txt, JPEG")
    path = opened.label(f"{FRONT}: Path of a file on this machine")
    path.focus()
    opened.page.keyboard.insert_text("/nowhere/photo.jpg")
    opened.press("Enter")
    opened.says("photo.jpg cannot be read: No such file or directory")
    path.fill(str(photos("front.jpg", 100_000)))
    opened.press("Enter")
    opened.says("Chosen: front.jpg, JPEG, 97 KB")
    opened.button(f"{FRONT}: remove").press("Enter")
    opened.outputs.get_by_text("Chosen: front.jpg").wait_for(state="detached")
    hand_over(opened, FRONT, photos("pasted.jpg", 90_000), PASTE)
    opened.says("Chosen: pasted.jpg, JPEG")
    hand_over(opened, FRONT, photos("dropped.jpg", 100_000), DROP)
    opened.says("Chosen: dropped.jpg, JPEG, 97 KB")
    specimens = opened.label(f"{SELFIE}: Or a specimen")
    specimens.focus()
    opened.page.keyboard.type("image bl")  # the first that begins so
    opened.says("Chosen: specimen (image blurry), JPEG")
    opened.page.get_by_alt_text("Preview: Selfie").wait_for()

    def fits(_width):
        assert opened.page.locator(".paylab-form *").evaluate_all(CUT_OFF) == []

    opened.looks("images", fits)
    opened.button("Upload the images").click()
    opened.says("The images are uploaded")
    opened.run_next()
    opened.says("Refused by the service")
    opened.says(re.compile("A picture is too blurred to be read."))
    opened.keep("images-refused-by-the-service")
    choose(opened, SELFIE, photos("selfie.jpg", 120_000))
    opened.says("Chosen: selfie.jpg, JPEG, 117 KB")
    opened.button("Upload the images").click()
    opened.outputs.get_by_text("The images are uploaded").nth(1).wait_for()


GIVEN = """([zone, name, text]) => {
  const bytes = Uint8Array.from(atob(text), one => one.charCodeAt(0));
  const files = new DataTransfer();
  files.items.add(new File([bytes], name, {type: 'image/jpeg'}));
  zone.dispatchEvent(EVENT);
}"""
DROP = GIVEN.replace("EVENT", "new DragEvent('drop', {dataTransfer: files, bubbles: true})")
PASTE = GIVEN.replace("EVENT", "new ClipboardEvent('paste', {clipboardData: files, bubbles: true})")


def hand_over(opened, label, path, act):
    """Drop or paste a file onto the slot of a side."""
    zone = opened.label(f"{label}: file").last.locator("xpath=..").element_handle()
    opened.page.evaluate(act, [zone, path.name, b64encode(path.read_bytes()).decode()])
