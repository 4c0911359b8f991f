"""What is wrong with a picture, drawn into it: one way for each code an image can be refused by."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PIL import Image, ImageDraw, ImageFilter, ImageFont

from ..advice import of

Box = tuple[int, int, int, int]
Draw = Callable[[Image.Image], Image.Image]

PAPER, INK, GREY, TABLE = (238, 243, 248), (38, 50, 66), (128, 128, 128), (121, 96, 72)
CARD_FACE, SELFIE_FACE = (36, 100, 236, 345), (236, 0, 564, 415)
CAPTION = 30


def spoil(image: Image.Image, side: str, code: str) -> Image.Image:
    """The picture as the code says it is, with a line at the bottom that says so too."""
    spoilt = FAULTS[code](side)(image.copy())
    pen = ImageDraw.Draw(spoilt)
    top = spoilt.height - CAPTION
    pen.rectangle((0, top, spoilt.width, spoilt.height), fill=INK)
    text = f"For practice, {code.removeprefix('verification_')}: {of(code).meaning}"
    pen.text((12, top + 6), text, fill="white", font=ImageFont.load_default(15))
    return spoilt


def _blurry(_: str) -> Draw:
    return lambda image: image.filter(ImageFilter.GaussianBlur(6))


def _glare(_: str) -> Draw:
    def draw(image: Image.Image) -> Image.Image:
        light = Image.radial_gradient("L").point(lambda dark: max(0, 400 - 2 * dark))
        box = (image.width // 4, -image.height // 6)
        image.paste("white", box, light.resize((image.width * 3 // 4, image.height)))
        return image

    return draw


def _unclear(side: str) -> Draw:
    def draw(image: Image.Image) -> Image.Image:
        box = _face(side)
        image.paste(image.crop(box).filter(ImageFilter.GaussianBlur(11)), box)
        return image

    return draw


def _missing(side: str) -> Draw:
    def draw(image: Image.Image) -> Image.Image:
        ImageDraw.Draw(image).rectangle(_face(side), fill=PAPER, outline=GREY, width=2)
        return image

    return draw


def _undetected(_: str) -> Draw:
    def draw(image: Image.Image) -> Image.Image:
        table = Image.new("RGB", image.size, TABLE)
        pen = ImageDraw.Draw(table)
        for x in range(0, image.width, 9):
            pen.line((x, 0, x + x % 40 - 20, image.height), fill=(134, 108, 82), width=3)
        table.paste(image.resize((320, 200)), (image.width - 70, 40))
        return table

    return draw


def _unprocessable(_: str) -> Draw:
    def draw(image: Image.Image) -> Image.Image:
        pen = ImageDraw.Draw(image)
        for y in range(170, image.height, 6):
            shade = (y * 37) % 200
            pen.rectangle((0, y, image.width, y + 6), fill=(shade, 200 - shade, 128))
        return image

    return draw


def _damaged(_: str) -> Draw:
    def draw(image: Image.Image) -> Image.Image:
        pen = ImageDraw.Draw(image)
        pen.polygon([(520, 0), (800, 0), (800, 260), (690, 215), (640, 90)], fill=TABLE)
        pen.line([(0, 330), (170, 290), (330, 350), (560, 280), (800, 340)], fill=INK, width=5)
        pen.ellipse((330, 370, 420, 440), fill=TABLE)
        return image

    return draw


def _replica(_: str) -> Draw:
    def draw(image: Image.Image) -> Image.Image:
        screen = Image.new("RGB", image.size, (16, 16, 18))
        screen.paste(image.resize((680, 400)), (60, 40))
        pen = ImageDraw.Draw(screen)
        for y in range(40, 440, 4):
            pen.line((60, y, 740, y), fill=(60, 70, 90))
        return screen

    return draw


def _slip(text: str) -> Callable[[str], Draw]:
    """A slip of paper over the card, on which the wrong thing stands."""

    def draw(image: Image.Image) -> Image.Image:
        pen = ImageDraw.Draw(image)
        pen.rectangle((260, 118, 780, 196), fill=(255, 249, 196), outline=INK, width=3)
        pen.text((280, 138), text, fill=INK, font=ImageFont.load_default(34))
        return image

    return lambda _: draw


def _face(side: str) -> Box:
    return SELFIE_FACE if side == "selfie" else CARD_FACE


FAULTS: Mapping[str, Callable[[str], Draw]] = {
    "verification_image_blurry": _blurry,
    "verification_image_glare": _glare,
    "verification_portrait_unclear": _unclear,
    "verification_portrait_missing": _missing,
    "verification_document_not_detected": _undetected,
    "verification_image_unprocessable": _unprocessable,
    "verification_document_damaged": _damaged,
    "verification_document_expired": _slip("Expired 2001-01-01"),
    "verification_unsupported_document_type": _slip("Library card"),
    "verification_country_not_determined": _slip("Issued by: (not said)"),
    "verification_electronic_replica": _replica,
    "verification_attribute_mismatch": _slip("Name: Somebody Else"),
    "verification_disallowed_country": _slip("Issued by: Atlantis"),
    "verification_age_mismatch": _slip("Born 2025-12-31"),
    "verification_identity_unverified": _slip("Face of: Nobody Known"),
    "verification_unknown_error": _slip("? ? ?"),
}
"""Every code but those that ask for what is not there yet."""
