"""Upload bodies: the same bytes on each read, and an error when a source changes."""

from __future__ import annotations

import json
import tempfile
from base64 import b64encode
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pytest

from paylab.client import Client
from paylab.client.settings import Settings
from paylab.client.upload import BLOCK_BYTES, Upload
from paylab.corridors import examples
from paylab.errors import RuleError

JPEG = b"\xff\xd8\xff" + bytes(range(256)) * 50
SIZES = [10_240, 10_241, 10_242, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES + 2]


def written(*images):
    """The body as the standard library writes it."""
    listed = [
        {"type": s, "content": f"data:{m};base64,{b64encode(d).decode()}"} for s, m, d in images
    ]
    return json.dumps({"images": listed}, separators=(",", ":")).encode()


def sized(size):
    """Data of this size that begins like a JPEG."""
    return (JPEG * (size // len(JPEG) + 1))[:size]


@pytest.mark.parametrize("size", SIZES)
def test_the_body_read_in_blocks_equals_the_json_written_at_once(size):
    """The body read in blocks equals the JSON written at once, for sizes around a block."""
    upload = Upload({"selfie": sized(size)})
    expected = written(("selfie", "image/jpeg", sized(size)))
    assert b"".join(upload) == expected
    assert (upload.length, upload.digest) == (len(expected), sha256(expected).hexdigest())


def test_a_body_can_be_read_twice_with_the_same_bytes():
    """A body can be read twice with the same bytes."""
    upload = Upload({"selfie": JPEG, "document-front": b"%PDF-" + JPEG})
    front = ("document-front", "application/pdf", b"%PDF-" + JPEG)
    assert b"".join(upload) == b"".join(upload) == written(("selfie", "image/jpeg", JPEG), front)


def spooled(path):
    """An open temporary file whose position is at its end."""
    file = tempfile.SpooledTemporaryFile(max_size=100)  # noqa: SIM115 - the test reads it
    file.write(path.read_bytes())
    return file


class Trickling(BytesIO):
    """A file of which every second read returns one byte, as a pipe or a socket may."""

    reads = 0

    def read(self, size=-1):
        """The next byte, or the bytes after it."""
        self.reads += 1
        return super().read(1 if self.reads % 2 else size)


@pytest.mark.parametrize(
    "give",
    [
        Path,
        Path.read_bytes,
        lambda path: bytearray(path.read_bytes()),
        lambda path: memoryview(path.read_bytes()),
        lambda path: BytesIO(path.read_bytes()),
        lambda path: path.open("rb"),
        lambda path: path.open("rb", buffering=0),
        lambda path: Trickling(path.read_bytes()),
        spooled,
        lambda path: "data:image/jpeg;base64," + b64encode(path.read_bytes()).decode(),
    ],
)
def test_the_body_is_the_same_for_every_kind_of_source(tmp_path, give):
    """The body is the same for every kind of source."""
    path = tmp_path / "photo.png"
    path.write_bytes(sized(2 * BLOCK_BYTES + 1))
    body = b"".join(Upload({"selfie": give(path)}))
    assert body == written(("selfie", "image/jpeg", path.read_bytes()))


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_bytes(JPEG[:-1] + b"!"),
        lambda path: path.write_bytes(JPEG + b"!"),
        lambda path: path.write_bytes(JPEG[:-100]),
        lambda path: path.unlink(),
        lambda path: path.rename(path.with_name("other")),
    ],
)
def test_a_file_that_changes(tmp_path, change):
    """A file that changes or disappears after hashing is refused."""
    path = tmp_path / "photo.jpg"
    path.write_bytes(JPEG)
    upload = Upload({"selfie": path})
    change(path)
    with pytest.raises(RuleError, match=r"images\.0\.content: (changed between|there is no file)"):
        list(upload)


def pieces(upload):
    """The bytes of a body that are read before its error."""
    got = []
    with pytest.raises(RuleError, match=r"images\.0\.content: changed between"):
        got.extend(upload)
    return b"".join(got)


@pytest.mark.parametrize("at", [0, 20, BLOCK_BYTES, 2 * BLOCK_BYTES])
def test_changed_bytes_of_the_same_size_raise_an_error_before_the_body_is_complete(at):
    """Changed bytes of the same size raise an error before the body is complete."""
    data = bytearray(sized(2 * BLOCK_BYTES + 1))
    upload = Upload({"selfie": data})
    data[at] ^= 1
    assert not bytes(pieces(upload)).endswith(b'"}]}')


def test_a_file_that_grows_is_read_to_its_announced_length(tmp_path):
    """If a file grows while it is read, reading stops before the announced length."""
    path = tmp_path / "photo.jpg"
    path.write_bytes(sized(BLOCK_BYTES))
    upload = Upload({"selfie": path})
    reading = iter(upload)
    path.write_bytes(sized(2 * BLOCK_BYTES))
    assert len(pieces(reading)) < upload.length


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (Path("/nowhere/photo.jpg"), "there is no file /nowhere/photo.jpg$"),
        (Path("photo.jpg"), "there is no file photo.jpg in /"),
        (Path("/"), "cannot be read: .*not a file"),
        (b"GIF89a" * 5000, "is not a PDF, JPEG, PNG"),
        (JPEG[:9_999], "at least 10 KB"),
        (b"", "is not a PDF"),
        (None, "is required"),
        (7, "data URI"),
    ],
)
def test_an_image_that_cannot_be_sent_raises_ruleerror_with_its_field_and_the_reason(
    content, words
):
    """An image that cannot be sent raises RuleError with its field and the reason."""
    with pytest.raises(RuleError, match=rf"images\.0\.content: .*{words}"):
        Upload({"selfie": content})


def test_text_files_are_no_images(tmp_path):
    """A file opened in text mode is not accepted as a source."""
    (tmp_path / "a.txt").write_text("a")
    with pytest.raises(RuleError, match="data URI"):
        Upload({"selfie": (tmp_path / "a.txt").open()})


@pytest.fixture(name="person")
def individual(lab):
    """An individual that must upload images."""
    return lab.individuals.create(**examples.individual("MX", consent_at=lab.clock()))


def test_the_simulator_accepts_the_signature_of_a_streamed_body(lab, person):
    """The simulator accepts the signature of a streamed body, of which the call has the outline."""
    stored = lab.individuals.upload_images(person.id, {"selfie": BytesIO(JPEG)})
    assert [image.content_type for image in stored.images] == ["image/jpeg"]
    assert not lab.calls[-1].request_body.exact


@pytest.fixture(name="outside")
def client_over_http(lab):
    """A client of the lab's simulator over a real socket."""
    with lab.serve() as server:
        keys = server.api_key, server.secret_key
        with Client(Settings(server.base_url, *keys)) as client:
            yield client


def test_an_upload_over_a_real_socket_is_stored(lab, outside, person):
    """An upload over a real socket is stored."""
    outside.individuals.upload_images(person.id, {"selfie": sized(3 * BLOCK_BYTES)})
    assert [image.type for image in lab.individuals.images(person.id).images] == ["selfie"]


def test_if_an_image_changes_while_it_is_sent_the_service_stores_nothing(lab, outside, person):
    """If an image changes while it is sent, the service stores nothing."""
    data = bytearray(sized(3 * BLOCK_BYTES))
    upload = Upload({"selfie": data})
    data[5] ^= 1
    with pytest.raises(RuleError, match="nothing was accepted"):
        outside.call("individuals.upload_images", upload, parts={"id": person.id})
    assert lab.individuals.images(person.id).images == []
