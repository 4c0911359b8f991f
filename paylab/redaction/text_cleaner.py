"""Cleans a text by rules: finds images, keys and what is encoded, and puts marks in their place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate

from . import escapes
from .document_rules import DOCUMENTS
from .encodings import decode_text, decompress, find_encoded, is_image
from .escapes import Replacement
from .fields import fold_case, fold_to_ascii
from .key_rules import KEYS, LONG_SECRETS, TOKENS
from .label_rules import LABELS
from .scrub_rules import LONGEST_WORD, SHORTEST_URI, Rule, is_small_picture, replace_image
from .search import make_image_finder

RULES: tuple[Rule, ...] = (*LONG_SECRETS, *KEYS, *DOCUMENTS, *TOKENS, *LABELS)
"""In this order: text found by one rule is skipped by the next ones."""
_WORDS = frozenset(word for rule in RULES for word in rule.words)
_LONG_DATA = re.compile(r"[A-Za-z0-9+/]{1000,}+")
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
        find_kind: Callable[[str], str | None] | None,
    ) -> None:
        self._report = report
        self._rules = rules
        self._find_kind = find_kind

    def text(self, text: str) -> str:
        """A text without what must not be shared."""
        if _PLAIN_WORD.fullmatch(text):  # most names in a document are
            return text
        text = escapes.replace_in_text(text, self._find_images)
        return escapes.replace_parts(text, self._find_secrets(text, self._rules))

    def pieces(self, texts: list[str], joint: str = "") -> list[str]:
        """Texts without what stands across several of them; a text without a part of it stays."""
        joined = joint.join(texts)
        ends = list(accumulate(len(text) + len(joint) for text in texts))
        images = [] if joint else [*self._find_images(joined, 0)]
        # Two texts side by side also look like what neither of them is: then only the seam counts.
        parts_found = self._find_secrets(joined, self._rules, images, seams=() if joint else ends)
        clean_texts = []
        for text, end in zip(texts, ends, strict=True):
            start = end - len(text) - len(joint)
            inside = [_clip(part, start, start + len(text)) for part in parts_found]
            clean_texts.append(escapes.replace_parts(text, [part for part in inside if part]))
        return clean_texts

    def without_long(self, text: str) -> str:
        """A text without images and signatures, which are often cut into pieces."""
        text = escapes.replace_in_text(text, self._find_images)
        return escapes.replace_parts(text, self._find_secrets(text, LONG_SECRETS))

    def _find_images(self, text: str, depth: int) -> Iterator[Replacement]:
        """The images in a text, each to its end, also if it is cut into lines or literals."""
        images = list(make_image_finder(replace_image)(text, depth))
        for encoded in find_encoded(text) if len(text) >= SHORTEST_URI else ():
            image_bytes = decompress(encoded.data)
            if is_image(image_bytes) and not is_small_picture(image_bytes):
                file_type = "PDF" if image_bytes.startswith(b"%PDF") else "image"
                images.append(Replacement(encoded.start, encoded.end, f"[removed: {file_type}]"))
        last_end = 0
        for image in sorted(images):
            if image.start >= last_end:
                self._report(image.new_text[len("[removed: ") : -1], "")
            last_end = max(last_end, image.end)
            yield image

    def _find_secrets(
        self,
        text: str,
        rules: Sequence[Rule],
        images: Sequence[Replacement] = (),
        seams: Sequence[int] = (),
    ) -> list[Replacement]:
        """The images, and what the rules match in a decoded layer: across a seam, if given."""
        found_parts = list(images)
        for found_part, content in escapes.find_parts(text, partial(self._apply_rules, rules)):
            if seams and not any(found_part.start < seam < found_part.end for seam in seams):
                continue
            if not any(
                found_part.start < earlier.end and earlier.start < found_part.end
                for earlier in found_parts
            ):
                self._report(found_part.new_text[len("[removed: ") : -1], content)
            found_parts.append(found_part)
        return found_parts

    def _apply_rules(self, rules: Sequence[Rule], text: str, depth: int) -> list[Replacement]:
        """The matches of the rules; text matched by one rule is skipped by the next."""
        found_parts = [*make_image_finder(replace_image)(text, depth)] if depth else []
        text = fold_to_ascii(text)
        found_parts += self._find_encoded_secrets(text)
        text = _LONG_DATA.sub(lambda match: "\0" * len(match[0]), text)
        words_present = _find_rule_words(fold_case(text))
        for rule in rules:
            if rule.words and words_present.isdisjoint(rule.words):
                continue
            if rule.is_searched and not rule.is_searched(text):
                continue
            for start, end in rule.find(text):
                if not any(start < part.end and part.start < end for part in found_parts):
                    found_parts.append(Replacement(start, end, f"[removed: {rule.kind}]"))
        return found_parts

    def _find_encoded_secrets(self, text: str) -> Iterator[Replacement]:
        """The encoded parts of a text that hold a secret."""
        if self._find_kind is None:
            return
        last_end = 0
        for encoded in find_encoded(text):
            decoded_text = decode_text(encoded.data) if encoded.start >= last_end else None
            if decoded_text is None:
                continue
            secret_kind = self._find_kind(decoded_text)
            if secret_kind:
                last_end = encoded.end
                yield Replacement(encoded.start, encoded.end, f"[removed: {secret_kind}]")


def _find_rule_words(text: str) -> frozenset[str]:
    """The words of the rules that a text in lower case has."""
    return frozenset(word for word in _WORDS if word in text)


def _clip(replacement: Replacement, start: int, end: int) -> Replacement | None:
    """A part of joined texts as one of this text; the mark stands in the first text only."""
    if replacement.end <= start or replacement.start >= end:
        return None
    replacement_text = replacement.new_text if replacement.start >= start else ""
    return Replacement(
        max(replacement.start, start) - start, min(replacement.end, end) - start, replacement_text
    )
