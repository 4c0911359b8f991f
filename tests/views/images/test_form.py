"""The images form: slots that are asked for, what is chosen, refused, sent and left behind."""

from __future__ import annotations

import ast

import pytest

from paylab.errors import BadRequestError, Problem, RuleError
from paylab.spec import codes, status
from paylab.spec.models import VerificationImages
from paylab.spec.service import Service
from paylab.views.images.form import ImagesForm
from paylab.views.specimens import specimen

ASKED = ["verification_front_image_needed", "verification_selfie_needed"]
HOSTILE = "<img src=x onerror=alert(1)>"


class Upload(dict):
    """Notes what was uploaded: side by side, the bytes."""

    error = None

    def __call__(self, images):
        """Read each to its end."""
        if self.error:
            raise self.error
        self.update({side: file.read() for side, file in images.items()})
        sent = [{"type": side, "content_type": "image/jpeg"} for side in images]
        return VerificationImages.model_validate({"images": sent})


@pytest.fixture(name="upload")
def notes():
    """What was uploaded."""
    return Upload()


@pytest.fixture(name="make")
def forms(upload):
    """Makes forms that ask for the codes given."""

    def make(*asked, message="", **options):
        details = [{"code": code, "message": message} for code in asked or ASKED]
        return ImagesForm(upload, details, name="Ana", country="MX", **options)

    return make


@pytest.fixture(name="photo")
def file(tmp_path):
    """A good picture in a file."""
    path = tmp_path / "photo.txt"
    path.write_bytes(specimen("selfie"))
    return path


def test_only_what_is_asked_for(make):
    """Two slots, both needed, and each says what to do."""
    form = make()
    assert [slot.side for slot in form.open_slots] == ["document-front", "selfie"]
    assert {slot.state for slot in form.open_slots} == {"empty"}
    with pytest.raises(RuleError) as caught:
        form.submit()
    assert {problem.field for problem in caught.value.problems} == {"document-front", "selfie"}


def test_a_path_and_a_specimen(make, upload, photo):
    """Both are sent as they are; afterwards nothing is left in the form."""
    form = make()
    form.slots["selfie"].path.value = str(photo)
    form.slots["document-front"].specimen.value = "good"
    assert {slot.state for slot in form.open_slots} == {"chosen"}
    form.submit()
    assert upload["selfie"] == photo.read_bytes()
    assert {slot.state for slot in form.open_slots} == {"stored"}
    assert all(slot.choice is slot.seen is None for slot in form.slots.values())
    assert str(photo) not in str([slot.path.value for slot in form.slots.values()])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"GIF89a" + bytes(20_000), "is not a PDF, JPEG, PNG, HEIC, HEIF or TIFF file"),
        (b"\xff\xd8\xff" + bytes(100), "at least"),
        (b"\xff\xd8\xff" + bytes(codes.IMAGE_MAX), "at most"),
        (b"", "is not a PDF"),
    ],
)
def test_refused_before_sending(make, tmp_path, content, said):
    """By content and by size, beside its slot."""
    path = tmp_path / "photo.jpg"
    path.write_bytes(content)
    slot = make().slots["selfie"]
    slot.path.value = str(path)
    assert slot.state == "refused before sending"
    assert said in slot.trouble


@pytest.mark.parametrize("path", ["/nowhere/at/all", "/dev/zero", "/", "\0", "~no-such-user/x"])
def test_paths_that_are_no_pictures(make, path):
    """Said beside the slot; a device is not read for ever."""
    slot = make().slots["selfie"]
    slot.path.value = path
    assert slot.state == "refused before sending"


@pytest.mark.parametrize("code", sorted(codes.STATUS_DETAIL_CODES))
def test_every_code_has_a_meaning_and_an_act(make, code):
    """In plain words, with the service's own beside them as text."""
    one = status.detail(code)
    assert one.meaning.endswith(".")
    assert one.action.endswith(".")
    form = make(code, message=HOSTILE)
    shown = form.notice.html + "".join(slot.line.html for slot in form.open_slots)
    assert HOSTILE not in shown
    assert "&lt;img" in shown


def test_a_refusal_of_the_service_stands_beside_its_side(make, upload, photo):
    """It counts images; a person sees sides."""
    form = make("verification_selfie_needed")
    form.slots["selfie"].path.value = str(photo)
    problem = Problem("images.0.content", "is no face")
    upload.error = BadRequestError(400, "no", problems=[problem])
    form.click()
    assert "is no face" in form.slots["selfie"].note
    assert form.result is None


def test_the_code_can_be_run(make, photo):
    """Paths as paths, specimens as specimens."""
    form = make(example=True)
    form.slots["selfie"].path.value = str(photo)
    text = form.code()
    assert ast.parse(text)
    assert "Path(" in text
    assert "specimen(" in text


def test_nothing_is_asked_for(upload):
    """A form with nothing to ask for says so."""
    with pytest.raises(RuleError, match="requests no image"):
        ImagesForm(upload, [], name="Ana", country="MX").submit()


def test_a_code_of_tomorrow(make):
    """What nobody knows yet may concern any side."""
    assert len(make("verification_hologram_missing").open_slots) == len(codes.IMAGE_SIDES)


@pytest.mark.parametrize(("size", "sent"), [(9_999, False), (10_000, True), (10_239, True)])
def test_an_image_between_two_readings_of_kilobytes_is_confirmed(
    make, upload, tmp_path, size, sent
):
    """10 KB may be 10,000 bytes: such an image is sent with `anyway=True`."""
    path = tmp_path / "small.jpg"
    path.write_bytes(b"\xff\xd8\xff".ljust(size, b"\0"))
    form = make("verification_selfie_needed")
    form.slots["selfie"].path.value = str(path)
    with pytest.raises(RuleError):
        form.submit()
    if sent:
        form.submit(anyway=True)
    assert bool(upload) is sent


def test_the_states_of_a_side(make, upload):
    """Empty, chosen, refused here, removed, sending, stored: never two at once."""
    form = make("verification_selfie_needed", message="Selfie needed.")
    slot, states = form.slots["selfie"], []
    form._upload = lambda images: states.append(slot.state) or upload(images)
    seen = [slot.state]
    slot.specimen.value = "good"
    seen.append(slot.state)
    assert "Chosen: specimen (good), JPEG" in slot.line.html
    slot.picker.refuse("large.jpg", codes.IMAGE_MAX + 1)
    seen.append(slot.state)
    assert "large.jpg has 15.00 MB (15,728,641 bytes)" in slot.line.html
    assert "The service says" not in slot.line.html
    slot.specimen.value = "good"
    slot.remove()
    seen.append(slot.state)
    form.fill()
    assert slot.specimen.value == "good"
    form.submit()
    assert seen == ["empty", "chosen", "refused before sending", "empty"]
    assert (states, slot.state) == (["sending"], "stored")


def test_what_the_service_refused_is_told_as_its_own(make):
    """With its words, and what to do."""
    slot = make("verification_image_blurry", message="Too blurred.").slots["selfie"]
    assert slot.state == "refused by the service"
    assert "The service says: Too blurred." in slot.line.html


@pytest.mark.parametrize(("kilobyte", "problems"), [(1000, 0), (1024, 1)])
def test_sizes_are_those_of_the_service(make, tmp_path, kilobyte, problems):
    """A picture between 10,000 and 10,240 bytes is too small for one way to count."""
    path = tmp_path / "small.jpg"
    path.write_bytes(b"\xff\xd8\xff\xe0" + bytes(10_096))
    form = make(service=Service({"images.kilobyte": kilobyte}))
    form.slots["selfie"].path.value = str(path)
    told = [each.message for each in form.slots["selfie"].seen.assumed]
    assert told == ["must be at least 10 KB (10,240 bytes) when decoded"][:problems]
