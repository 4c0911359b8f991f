"""The body of an answer, decoded with limited memory."""

from __future__ import annotations

from zlib import decompressobj
from zlib import error as zlib_error

import httpx

from ..spec.text import plain

# Far more than any page of 100 objects; an endless body must not fill the memory.
BODY_BYTES_MAX = 8 * 2**20
WORLD_BYTES_MAX = 2**28
"""Maximum bytes of an answer of a simulator's control API, such as a whole snapshot."""

# zlib detects gzip and deflate by their headers; some servers send deflate without one.
ANY_HEAD = 47
NO_HEAD = -15
COMPRESSED = ("gzip", "x-gzip", "deflate")


class TooLargeError(Exception):
    """The body is larger than the limit."""


def read_decoded(response: httpx.Response, bytes_max: int) -> bytes:
    """The body, decoded in pieces; TooLargeError for more than `bytes_max` bytes."""
    if response.is_stream_consumed:  # a transport without a network has the whole body
        return response.content
    encoding_text = response.headers.get("content-encoding")
    decoder = _make_decoder(encoding_text) if encoding_text else None
    chunks = list[bytes]()
    decoded_size = 0
    received_size = 0
    for chunk in response.iter_raw():
        received_size += len(chunk)
        # One byte more than allowed shows that the body is too large.
        chunks.append(decoder(chunk, bytes_max + 1 - decoded_size) if decoder else chunk)
        decoded_size += len(chunks[-1])
        if max(decoded_size, received_size) > bytes_max:
            raise TooLargeError
    # An answer without a body may have the header, too.
    if decoder and received_size and not decoder.zlib.eof:
        raise httpx.DecodingError("the compressed body ends too early")
    return b"".join(chunks)  # one part is not copied


class Inflater:
    """Decompresses a body in pieces of limited size."""

    def __init__(self) -> None:
        """Expect gzip, or deflate with a head."""
        self.zlib = decompressobj(ANY_HEAD)
        self._begun = False

    def __call__(self, chunk: bytes, bytes_max: int) -> bytes:
        """Decompress a chunk to at most `bytes_max` bytes; DecodingError if it cannot be read."""
        is_first_chunk = not self._begun
        self._begun = True
        try:
            return self.zlib.decompress(chunk, bytes_max)
        except zlib_error as error:
            if not is_first_chunk:  # the first one could be read, so its form is known
                raise httpx.DecodingError(str(error)) from None
        # The body may be deflate without a header: the chunk is read again as such.
        self.zlib = decompressobj(NO_HEAD)
        return self(chunk, bytes_max)


def _make_decoder(encoding_text: str) -> Inflater | None:
    """The decoder of a Content-Encoding; None for `identity`, DecodingError for an unknown one."""
    listed_names = [encoding_name.strip().lower() for encoding_name in encoding_text.split(",")]
    encoding_names = [encoding for encoding in listed_names if encoding not in ("", "identity")]
    if not encoding_names:
        return None
    if len(encoding_names) > 1 or encoding_names[0] not in COMPRESSED:
        raise httpx.DecodingError(
            f"its encoding is {plain(encoding_text, 40)!r}, not gzip or deflate"
        )
    return Inflater()
