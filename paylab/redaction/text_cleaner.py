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
from .placeholders import WORD_LENGTH_MAX
from .scrub_rules import URI_LENGTH_MIN, Rule, is_small_picture, replace_image
from .search import make_image_finder

RULES: tuple[Rule, ...] = (*LONG_SECRETS, *KEYS, *DOCUMENTS, *TOKENS, *LABELS)
"""In this order: text found by one rule is skipped by the next ones."""
_WORDS = frozenset(word for rule in RULES for word in rule.words)
_LONG_DATA = re.compile(r"[A-Za-z0-9+/]{1000,}+")
"""Data that is searched when it is decoded; its characters only look like words and numbers."""
_PLAIN_WORD = re.compile(rf"[A-Za-z_.]{{0,{WORD_LENGTH_MAX}}}")
"""A text that is no secret by itself: a placeholder by the rules for keys."""

Report = Callable[[str, str], None]
"""Called with the kind of each finding and its text."""


class TextCleaner:
    """Cleans texts by rules, and reports what it removes.

    `find_kind` returns the kind of the first secret in a decoded text, or None. Without it, nothing
    is decoded.
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

    def clean_text(self, text: str) -> str:
        """Put marks such as "[removed: key]" in place of the images and secrets in a text."""
        if _PLAIN_WORD.fullmatch(text):  # most names in a document are
            return text
        text = escapes.replace_in_text(text, self._find_images)
        return escapes.replace_parts(text, self._find_secrets(text, self._rules))

    def clean_pieces(self, texts: list[str], separator: str = "") -> list[str]:
        """Remove the secrets that stand across several texts, such as half a key in each of two.

        They are read as one text, with `separator` between two of them. Without a separator, images
        are found too, and a secret that is whole in one of the texts is left to `clean_text`.
        """
        joined_text = separator.join(texts)
        image_replacements: list[Replacement] = []
        boundaries: tuple[int, ...] = ()
        if not separator:
            image_replacements += self._find_images(joined_text, depth=0)
            # Texts that are joined directly can look like something that none of them is: only a
            # match that reaches over a boundary counts.
            boundaries = tuple(accumulate(map(len, texts)))
        replacements = self._find_secrets(joined_text, self._rules, image_replacements, boundaries)
        clean_texts = []
        text_start = 0
        for piece in texts:
            text_end = text_start + len(piece)
            clipped_replacements = [
                _clip_to_text(replacement, text_start, text_end) for replacement in replacements
            ]
            replacements_here = [*filter(None, clipped_replacements)]
            clean_texts.append(escapes.replace_parts(piece, replacements_here))
            text_start = text_end + len(separator)
        return clean_texts

    def clean_long_secrets(self, text: str) -> str:
        """Remove only images and signatures: the secrets that are often cut into pieces."""
        text = escapes.replace_in_text(text, self._find_images)
        return escapes.replace_parts(text, self._find_secrets(text, LONG_SECRETS))

    def _find_images(self, text: str, depth: int) -> Iterator[Replacement]:
        """Yield replacements of the images in a text, also of images that are cut into lines.

        Replacements that overlap are all yielded, but only the first one is reported.
        """
        find_plain_images = make_image_finder(replace_image)
        image_replacements = list(find_plain_images(text, depth))
        for encoded_image in find_encoded(text) if len(text) >= URI_LENGTH_MIN else ():
            image_bytes = decompress(encoded_image.data)
            if is_image(image_bytes) and not is_small_picture(image_bytes):
                file_kind = "PDF" if image_bytes.startswith(b"%PDF") else "image"
                image_replacements.append(
                    Replacement(encoded_image.start, encoded_image.end, f"[removed: {file_kind}]")
                )
        last_end = 0
        for image_replacement in sorted(image_replacements):
            if image_replacement.start >= last_end:
                self._report(_read_kind(image_replacement), "")
            last_end = max(last_end, image_replacement.end)
            yield image_replacement

    def _find_secrets(
        self,
        text: str,
        rules: Sequence[Rule],
        image_replacements: Sequence[Replacement] = (),
        boundaries: Sequence[int] = (),
    ) -> list[Replacement]:
        """Find what the rules match in any decoded layer of a text, besides `image_replacements`.

        `boundaries` are the offsets where texts were joined: only matches across one of them count.
        """
        replacements = list(image_replacements)
        for replacement, secret_text in escapes.find_parts(text, partial(self._apply_rules, rules)):
            crosses_boundary = any(
                replacement.start < boundary < replacement.end for boundary in boundaries
            )
            if boundaries and not crosses_boundary:
                continue
            # A secret is reported once, although several layers show it.
            is_reported = any(
                earlier_replacement.overlaps(replacement.start, replacement.end)
                for earlier_replacement in replacements
            )
            if not is_reported:
                self._report(_read_kind(replacement), secret_text)
            replacements.append(replacement)
        return replacements

    def _apply_rules(self, rules: Sequence[Rule], text: str, depth: int) -> list[Replacement]:
        """Find what the rules match in one layer; text matched by one is skipped by the next."""
        replacements: list[Replacement] = []
        if depth:  # in the text itself, before any decoding, the images were found already
            find_images = make_image_finder(replace_image)
            replacements += find_images(text, depth)
        text = fold_to_ascii(text)
        replacements += self._find_encoded_secrets(text)
        # Long data was searched above; a stand-in of the same length keeps the offsets.
        text = _LONG_DATA.sub(lambda match: "\0" * len(match[0]), text)
        words_present = _find_rule_words(fold_case(text))
        for rule in rules:
            if rule.words and words_present.isdisjoint(rule.words):
                continue
            if rule.is_searched and not rule.is_searched(text):
                continue
            mark = f"[removed: {rule.kind}]"
            for match_start, match_end in rule.find(text):
                is_found_already = any(
                    earlier_replacement.overlaps(match_start, match_end)
                    for earlier_replacement in replacements
                )
                if not is_found_already:
                    replacements.append(Replacement(match_start, match_end, mark))
        return replacements

    def _find_encoded_secrets(self, text: str) -> Iterator[Replacement]:
        """Yield replacements of the encoded parts of a text, such as Base64, that hold a secret."""
        if self._find_kind is None:
            return
        last_end = 0
        for encoded_data in find_encoded(text):
            if encoded_data.start < last_end:  # inside a part that is removed
                continue
            decoded_text = decode_text(encoded_data.data)
            secret_kind = None if decoded_text is None else self._find_kind(decoded_text)
            if secret_kind:
                last_end = encoded_data.end
                yield Replacement(encoded_data.start, encoded_data.end, f"[removed: {secret_kind}]")


def _read_kind(replacement: Replacement) -> str:
    """Read the kind of secret from the mark of a replacement."""
    return replacement.new_text.removeprefix("[removed: ").removesuffix("]")


def _find_rule_words(text: str) -> frozenset[str]:
    """The words of all rules that occur in a lower-case text."""
    return frozenset(word for word in _WORDS if word in text)


def _clip_to_text(replacement: Replacement, text_start: int, text_end: int) -> Replacement | None:
    """Move a replacement from joined texts into the one text from `text_start` to `text_end`.

    None if it is outside of that text. The mark stands only in the first text that it reaches.
    """
    if not replacement.overlaps(text_start, text_end):
        return None
    new_text = replacement.new_text if replacement.start >= text_start else ""
    start = max(replacement.start, text_start) - text_start
    clipped_end = min(replacement.end, text_end) - text_start
    return Replacement(start, clipped_end, new_text)
