"""The images form: requested sides, chosen and refused images, and the upload."""

from __future__ import annotations

import ast

import pytest
from PIL import Image

from paylab.errors import ArgumentError, BadRequestError, Problem, RuleError
from paylab.spec import codes, status
from paylab.spec.models import StatusDetail, VerificationImages
from paylab.views.images.choice import ImageFacts
from paylab.views.images.form import ImagesForm
from paylab.views.specimens import specimen

ASKED = ["verification_front_image_needed", "verification_selfie_needed"]
HOSTILE = "<img src=x onerror=alert(1)>"


class Upload(dict):
    """An upload function that stores the bytes of each side."""

    error = None

    def __call__(self, images):
        """Read each file to its end, or raise `error`."""
        if self.error:
            raise self.error
        self.update({side: file.read() for side, file in images.items()})
        sent = [{"type": side, "content_type": "image/jpeg"} for side in images]
        return VerificationImages.model_validate({"images": sent})


@pytest.fixture(name="upload")
def notes():
    """The uploaded bytes by side."""
    return Upload()


@pytest.fixture(name="make")
def forms(upload):
    """A function that makes a form for the given status detail codes."""

    def make(*asked, message="", upload=upload, **options):
        details = [{"code": code, "message": message} for code in asked or ASKED]
        return ImagesForm(upload, details, name="Ana", country="MX", **options)

    return make


@pytest.fixture(name="photo")
def file(tmp_path):
    """The path of a good image."""
    path = tmp_path / "photo.txt"
    path.write_bytes(specimen("selfie"))
    return path


def test_only_what_is_asked_for(make):
    """The form has a slot for each requested side only, and both are required."""
    form = make()
    assert [slot.side for slot in form.requested_slots] == ["document-front", "selfie"]
    assert {slot.state for slot in form.requested_slots} == {"empty"}
    with pytest.raises(RuleError) as caught:
        form.submit()
    assert {problem.field for problem in caught.value.problems} == {"document-front", "selfie"}


@pytest.mark.parametrize(
    ("family_name", "outcomes"),
    [
        ("Verification Image Blurry", "verification_image_blurry"),
        ("under review then passes", "under_review, then passes"),
        ("Blurry", ""),
        ("Ejemplo", ""),
    ],
)
def test_a_family_name_that_decides_is_named(make, family_name, outcomes):
    """A name that decides the verification is named above the images; any other is not."""
    note = make(family_name=family_name).advice_node.html
    assert (f"“{family_name}” decides how verification ends ({outcomes})" in note) == bool(outcomes)
    assert bool(note) == bool(outcomes)


def test_a_path_and_a_specimen_are_uploaded(make, upload, photo):
    """A file and a specimen are uploaded; afterwards the form has neither image nor path."""
    form = make()
    form.slots["selfie"].path.value = str(photo)
    form.slots["document-front"].specimen.value = "good"
    assert {slot.state for slot in form.requested_slots} == {"chosen"}
    form.submit()
    assert upload["selfie"] == photo.read_bytes()
    assert {slot.state for slot in form.requested_slots} == {"stored"}
    assert all(slot.choice is slot.facts is None for slot in form.slots.values())
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
def test_a_file_of_a_wrong_type_or_size_is_refused_before_sending(make, tmp_path, content, said):
    """A file of a wrong type or size is refused, and its slot says why."""
    path = tmp_path / "photo.jpg"
    path.write_bytes(content)
    slot = make().slots["selfie"]
    slot.path.value = str(path)
    assert slot.state == "refused before sending"
    assert said in slot.refusal
    path.write_bytes(specimen("selfie"))
    slot.path.receive({"kind": "leave"}, [])  # Enter: the same path, with another picture
    assert slot.state == "chosen"


@pytest.mark.parametrize("path", ["/nowhere/at/all", "/dev/zero", "/", "\0", "~no-such-user/x"])
def test_paths_that_are_no_pictures(make, path):
    """A path that is not a regular file is refused; a device is not read."""
    slot = make().slots["selfie"]
    slot.path.value = path
    assert slot.state == "refused before sending"


@pytest.mark.parametrize("code", sorted(codes.STATUS_DETAIL_CODES))
def test_every_code_has_a_meaning_and_an_act(make, code):
    """Every code has a meaning and an action; the message of the service is escaped."""
    one = status.detail(code)
    assert one.meaning.endswith(".")
    assert one.action.endswith(".")
    form = make(code, message=HOSTILE)
    shown = form.advice_node.html + "".join(slot.state_line.html for slot in form.requested_slots)
    assert HOSTILE not in shown
    assert "&lt;img" in shown


def test_a_refusal_of_the_service_stands_beside_its_side(make, upload, photo):
    """A problem that the service reports for an image number is shown at its side."""
    form = make("verification_selfie_needed")
    form.slots["selfie"].path.value = str(photo)
    problem = Problem("images.0.content", "is no face")
    upload.error = BadRequestError(400, "no", problems=[problem])
    form.click()
    assert "is no face" in form.slots["selfie"].errors[0]
    assert form.result is None


def test_the_code_can_be_run(make, photo):
    """The code is valid Python that names a file by its path and a specimen by its call."""
    form = make(example=True)
    form.slots["selfie"].path.value = str(photo)
    text = form.code()
    assert ast.parse(text)
    assert "Path(" in text
    assert "specimen(" in text


def test_nothing_is_asked_for(upload):
    """Submitting a form without requested images is an error."""
    with pytest.raises(RuleError, match="requests no image"):
        ImagesForm(upload, [], name="Ana", country="MX").submit()


def test_an_unknown_code_asks_for_every_side(make):
    """An unknown status detail code asks for every side."""
    assert len(make("verification_hologram_missing").requested_slots) == len(codes.IMAGE_SIDES)


@pytest.mark.parametrize(("size", "sent"), [(9_999, False), (10_000, True), (10_239, True)])
def test_an_image_between_two_readings_of_kilobytes_is_confirmed(
    make, upload, tmp_path, size, sent
):
    """An image of 10,000 to 10,239 bytes is sent with `anyway=True` only; a smaller one never."""
    path = tmp_path / "small.jpg"
    path.write_bytes(b"\xff\xd8\xff".ljust(size, b"\0"))
    form = make("verification_selfie_needed")
    form.slots["selfie"].path.value = str(path)
    with pytest.raises(RuleError):
        form.submit()
    if sent:
        form.submit(anyway=True)
    assert bool(upload) is sent


def test_a_side_is_empty_chosen_refused_sending_and_stored(make, upload):
    """A slot is empty, chosen, refused before sending, empty again, sending, then stored."""
    states = []

    def note_state(images):
        states.append(slot.state)
        return upload(images)

    form = make("verification_selfie_needed", message="Selfie needed.", upload=note_state)
    slot = form.slots["selfie"]
    seen = [slot.state]
    slot.specimen.value = "good"
    seen.append(slot.state)
    assert "Chosen: specimen (good), JPEG" in slot.state_line.html
    slot.picker.on_refusal("large.jpg", codes.IMAGE_MAX + 1)
    seen.append(slot.state)
    assert "large.jpg has 15.00 MB (15,728,641 bytes)" in slot.state_line.html
    assert "The service says" not in slot.state_line.html
    assert slot.specimen.value == ""
    slot.specimen.value = "good"
    assert slot.state == "chosen"
    slot.remove()
    seen.append(slot.state)
    form.fill()
    assert slot.specimen.value == "good"
    form.submit()
    assert seen == ["empty", "chosen", "refused before sending", "empty"]
    assert (states, slot.state) == (["sending"], "stored")


def test_what_the_service_refused_is_told_as_its_own(make):
    """A blurry picture of no named side may be any of them; its message is shown once, above."""
    form = make("verification_image_blurry", message="Too blurred.")
    assert {slot.state for slot in form.slots.values()} == {"possibly refused by the service"}
    assert "The service says: Too blurred." in form.advice_node.html
    assert "does not say which picture" in form.advice_node.html
    assert "Too blurred" not in form.slots["selfie"].state_line.html


@pytest.mark.parametrize("field", ["type", "side"])
@pytest.mark.parametrize("kind", [dict, StatusDetail.model_validate])
def test_a_named_side_is_the_only_one_refused(upload, field, kind):
    """If a field of the detail is the type of an image, only that side has to be sent again."""
    detail = {"code": "verification_image_blurry", "message": "Too blurred.", field: "selfie"}
    form = ImagesForm(upload, [kind(detail)], name="Ana", country="MX")
    [slot] = form.requested_slots
    assert (slot.side, slot.state) == ("selfie", "refused by the service")
    assert "The service says: Too blurred." in slot.state_line.html
    assert form.advice_node.html == ""


def test_one_way_to_choose_replaces_another(make, photo):
    """A path clears the specimen and the other way round; "none" removes a specimen."""
    slot = make().slots["selfie"]
    assert slot.path.props()["lazy"]  # a path is read once it is whole
    slot.specimen.value = "good"
    slot.path.value = str(photo)
    assert (slot.specimen.value, slot.choice.name, slot.picker.chosen) == ("", "photo.txt", True)
    slot.specimen.value = "verification_image_blurry"
    assert (slot.path.value, slot.choice.name) == ("", "specimen (image blurry)")
    slot.specimen.value = ""
    assert (slot.choice, slot.state, slot.picker.chosen) == (None, "empty", False)


def test_a_side_that_was_sent_has_no_inputs(make):
    """After the upload a side is a heading and its state, until the form starts over."""
    form = make("verification_selfie_needed", example=True)
    slot, inputs = form.slots["selfie"], ("picker", "path", "specimen")
    before = len(slot.children)
    form.submit()
    assert (before, len(slot.children)) == (4, 2)
    assert [getattr(slot, name).disabled for name in inputs] == [True] * 3
    form.restart()
    assert len(slot.children) == 4


@pytest.mark.parametrize(
    ("size", "words"), [(2**20 - 1, "JPEG, 1023 KB"), (2**20, "JPEG, 1.0 MB"), (2047, "JPEG, 1 KB")]
)
def test_a_size_is_in_kilobytes_or_megabytes(size, words):
    """From a megabyte on, a size has one decimal."""
    assert ImageFacts("image/jpeg", size, False, None).type_and_size == words


def test_a_location_is_announced_and_kept_if_the_box_is_ticked(make, upload, tmp_path):
    """The warning says that the location is removed; with the box, the file is sent as it is."""
    tags = Image.Exif()
    tags[0x8825] = {1: "N", 2: (19.0, 25.0, 57.5)}
    path = tmp_path / "photo.jpg"
    Image.effect_noise((200, 200), 90).convert("RGB").save(path, exif=tags.tobytes())
    form = make("verification_selfie_needed")
    slot = form.slots["selfie"]
    slot.path.value = str(path)
    assert (slot.facts.has_location, bool(slot.facts.preview), slot.facts.preview_problem) == (
        True,
        True,
        "",
    )
    assert "contains the location" in slot.warnings[0]
    form.keep_location.value = True
    assert slot.warnings == []
    form.submit()
    assert upload["selfie"] == path.read_bytes()


@pytest.mark.parametrize(
    ("code", "states"),
    [
        ("verification_document_damaged", ["possibly refused by the service"] * 2),
        ("verification_back_image_needed", ["empty"]),
        ("verification_age_mismatch", []),
    ],
)
def test_a_refusal_of_two_sides_may_be_of_either(make, code, states):
    """A code of the document does not say which side; a code of no picture asks for none."""
    form = make(code, message="Why.")
    assert [slot.state for slot in form.requested_slots] == states
    assert ("may be any of these" in form.advice_node.html) is (len(states) > 1)
    assert ("The service says: Why." in form.advice_node.html) is (len(states) != 1)


@pytest.mark.parametrize("kind", ["text", "path", "bytes"])
def test_an_image_is_chosen_from_code_as_for_an_upload(make, upload, tmp_path, kind):
    """`fill` takes the path of a file, as text too, or its bytes."""
    path = tmp_path / "me.png"
    path.write_bytes(specimen("selfie"))
    form = make("verification_selfie_needed")
    form.fill(selfie={"text": str(path), "path": path, "bytes": path.read_bytes()}[kind])
    form.submit()
    assert upload == {"selfie": path.read_bytes()}


def test_what_is_no_image_is_refused_by_the_name_of_its_side(make, tmp_path):
    """An absent file is a problem of its side, any other value an error that names it."""
    form = make("verification_selfie_needed")
    form.fill(selfie=tmp_path / "absent.png")
    with pytest.raises(RuleError, match=r"selfie: absent\.png cannot be read: No such") as caught:
        form.submit()
    assert str(caught.value).endswith(f"directory in {tmp_path}")
    with pytest.raises(ArgumentError, match=r"selfie must be a path or the bytes .*, not 7"):
        form.fill(selfie=7)


def test_specimens_are_offered_as_long_as_an_image_is_missing(make):
    """The button goes when every slot has an image, and comes back with an empty one."""
    form = make(example=True)
    form.nodes()
    assert not form.specimen_button.visible
    form.slots["selfie"].remove()
    form.nodes()
    assert form.specimen_button.visible
