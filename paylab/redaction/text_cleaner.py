"""Cleans a text by rules: finds images, keys and what is encoded, and puts marks in their place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate

from . import escapes
from .document_rules import DOCUMENTS
from .encodings import decoded_text, find_encoded, inflated, is_image
from .escapes import Found
from .fields import ascii_folded, casefolded
from .key_rules import KEYS, LONG, TOKENS
from .label_rules import LABELS
from .scrub_rules import LONGEST_WORD, SHORTEST_URI, Rule, image_mark, is_small_picture
from .search import find_images

RULES: tuple[Rule, ...] = (*LONG, *KEYS, *DOCUMENTS, *TOKENS, *LABELS)
"""In this order: text found by one rule is skipped by the next ones."""
_WORDS = frozenset(word for rule in RULES for word in rule.words)
_DATA = re.compile(r"[A-Za-z0-9+/]{1000,}+")
"""Data that is searched when it is decoded; its characters only look like words and numbers."""
_PLAIN_WORD = re.compile(rf"[A-Za-z_.]{{0,{LONGEST_WORD}}}")
"""A text that is no secret by itself: a placeholder by the rules for keys."""

Report = Callable[[str, str], None]
"""Called with the kind of each finding and its text."""


class TextCleaner:
    """Cleans texts by rules, and reports what it removes.

    `kind_inside` tells the kind of the first secret in a decoded text; with None, nothing is
    decoded.
    """

    def __init__(
        self,
        report: Report,
        rules: Sequence[Rule],
        kind_inside: Callable[[str], str | None] | None,
    ) -> None:
        self._report = report
        self._rules = rules
        self._kind_inside = kind_inside

    def text(self, text: str) -> str:
        """A text without what must not be shared."""
        if _PLAIN_WORD.fullmatch(text):  # most names in a document are
            return text
        text = escapes.replace_plain(text, self._images)
        return escapes.replace_parts(text, self._parts(text, self._rules))

    def pieces(self, texts: list[str], joint: str = "") -> list[str]:
        """Texts without what stands across several of them; a text without a part of it stays."""
        joined = joint.join(texts)
        ends = list(accumulate(len(text) + len(joint) for text in texts))
        images = [] if joint else [*self._images(joined, 0)]
        # Two texts side by side also look like what neither of them is: then only the seam counts.
        parts_found = self._parts(joined, self._rules, images, seams=() if joint else ends)
        clean_texts = []
        for text, end in zip(texts, ends, strict=True):
            start = end - len(text) - len(joint)
            inside = [_clipped(part, start, start + len(text)) for part in parts_found]
            clean_texts.append(escapes.replace_parts(text, [part for part in inside if part]))
        return clean_texts

    def without_long(self, text: str) -> str:
        """A text without images and signatures, which are often cut into pieces."""
        text = escapes.replace_plain(text, self._images)
        return escapes.replace_parts(text, self._parts(text, LONG))

    def _images(self, text: str, depth: int) -> Iterator[Found]:
        """The images in a text, each to its end, also if it is cut into lines or literals."""
        images = list(find_images(image_mark)(text, depth))
        for encoded in find_encoded(text) if len(text) >= SHORTEST_URI else ():
            data = inflated(encoded.data)
            if is_image(data) and not is_small_picture(data):
                kind = "PDF" if data.startswith(b"%PDF") else "image"
                images.append(Found(encoded.start, encoded.end, f"[removed: {kind}]"))
        end = 0
        for image in sorted(images):
            if image.start >= end:
                self._report(image.put[len("[removed: ") : -1], "")
            end = max(end, image.end)
            yield image

    def _parts(
        self,
        text: str,
        rules: Sequence[Rule],
        images: Sequence[Found] = (),
        seams: Sequence[int] = (),
    ) -> list[Found]:
        """The images, and what the rules match in a decoded layer: across a seam, if given."""
        parts = list(images)
        for part, content in escapes.find_parts(text, partial(self._found, rules)):
            if seams and not any(part.start < seam < part.end for seam in seams):
                continue
            if not any(part.start < earlier.end and earlier.start < part.end for earlier in parts):
                self._report(part.put[len("[removed: ") : -1], content)
            parts.append(part)
        return parts

    def _found(self, rules: Sequence[Rule], text: str, depth: int) -> list[Found]:
        """The matches of the rules; text matched by one rule is skipped by the next."""
        parts = [*find_images(image_mark)(text, depth)] if depth else []
        text = ascii_folded(text)
        parts += self._encoded(text)
        text = _DATA.sub(lambda match: "\0" * len(match[0]), text)
        present = _words_in(casefolded(text))
        for rule in rules:
            if rule.words and present.isdisjoint(rule.words):
                continue
            if rule.is_searched and not rule.is_searched(text):
                continue
            for start, end in rule.find(text):
                if not any(start < part.end and part.start < end for part in parts):
                    parts.append(Found(start, end, f"[removed: {rule.kind}]"))
        return parts

    def _encoded(self, text: str) -> Iterator[Found]:
        """The encoded parts of a text that hold a secret."""
        if self._kind_inside is None:
            return
        end = 0
        for encoded in find_encoded(text):
            inner = decoded_text(encoded.data) if encoded.start >= end else None
            if inner is None:
                continue
            kind = self._kind_inside(inner)
            if kind:
                end = encoded.end
                yield Found(encoded.start, encoded.end, f"[removed: {kind}]")


def _words_in(text: str) -> frozenset[str]:
    """The words of the rules that a text in lower case has."""
    return frozenset(word for word in _WORDS if word in text)


def _clipped(part: Found, start: int, end: int) -> Found | None:
    """A part of joined texts as one of this text; the mark stands in the first text only."""
    if part.end <= start or part.start >= end:
        return None
    mark = part.put if part.start >= start else ""
    return Found(max(part.start, start) - start, min(part.end, end) - start, mark)
