"""The texts that tell somebody where to pay: a CLABE and a QR Ph code."""

import binascii


def clabe(digest):
    """18 digits of which the last is the check digit."""
    digits = "646180" + f"{int(digest[:12], 16):011d}"[-11:]
    weighted = [int(digit) * (3, 7, 1)[place % 3] % 10 for place, digit in enumerate(digits)]
    return digits + str(-sum(weighted) % 10)


def qr_ph(digest):
    """An EMV QR text of QR Ph, without an amount."""

    def tag(number, value):
        return f"{number}{len(value):02d}{value}"

    account = tag("00", "com.p2pqrpay") + tag("01", "PAEYPHM2XXX") + tag("02", "99964403")
    account += tag("04", f"{int(digest[:10], 16):012d}"[-12:]) + tag("05", "+63-9170000000")
    text = tag("00", "01") + tag("01", "11") + tag("27", account) + tag("52", "6016")
    text += tag("53", "608") + tag("58", "PH") + tag("59", "THIRD SERVICE") + tag("60", "MANILA")
    text += "6304"
    return text + f"{binascii.crc_hqx(text.encode(), 0xFFFF):04X}"
