"""Go through an on-ramp in the terminal, from the individual's consent to the CSV files.

An example person is verified, opens a conversion account, and pays a sandbox deposit into it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from pathlib import Path

from ..corridors import examples
from ..corridors.country_names import country_code
from ..corridors.on_ramps import COUNTRIES, OnRamp, need_on_ramp, of_country, unknown_on_ramp
from ..errors.base import ConfigError
from ..errors.extras import require_extra
from ..lab.lab import Lab, connect
from ..spec import codes, status
from ..spec.models import Conversion, ConversionAccount, Individual
from ..spec.text import printable, show_json
from .terminal import announce, confirm, count, draw_qr_code, say

EXAMPLE = "paylab walkthrough ph --out out"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    country_codes = [country.lower() for country in COUNTRIES]
    parser.add_argument(
        "country",
        type=_read_country,
        choices=country_codes,
        metavar="|".join(country_codes),
        help="country of the example person",
    )
    parser.add_argument(
        "--out", metavar="DIR", help="write the QR code as PNG and the lists as CSV here"
    )
    parser.add_argument(
        "--json", action="store_true", help="print the outcome as JSON, the progress on stderr"
    )
    parser.add_argument(
        "--yes", action="store_true", help="do not ask, as for a simulator or a sandbox"
    )


def _read_country(country_text: str) -> str:
    """The code of a country in lower case, or a text that is none, unless it has no on-ramp."""
    code = country_code(country_text)
    if code in codes.COUNTRIES and of_country(code) is None:
        raise argparse.ArgumentTypeError(unknown_on_ramp(code))
    return code.lower()


def run(options: argparse.Namespace) -> int:
    """Run all steps, from consent to the completed conversion."""
    folder = Path(options.out) if options.out else None
    if folder:
        require_extra("frames")  # it writes CSV files
        if folder.exists() and not folder.is_dir():
            raise ConfigError(f"{folder} is a file: name a folder, such as walkthrough/")
        folder.mkdir(parents=True, exist_ok=True)
    with redirect_stdout(sys.stderr) if options.json else nullcontext():
        lab = connect()
        announce(lab.place)
        if lab.place.may_be_live:
            confirm(lab.place, "create an example person and pay a deposit", yes=options.yes)
        fact_by_name = _run_steps(lab, need_on_ramp(country=options.country), folder)
    if options.json:
        say(show_json(fact_by_name))
    return 0 if fact_by_name["status"] == "completed" else 1


def _run_steps(lab: Lab, on_ramp: OnRamp, folder: Path | None) -> dict[str, object]:
    """Run all steps; return the facts to print."""
    _print_fact("Service", str(lab.place))
    person = _verify_person(lab, on_ramp.country)
    account = _open_account(lab, person, on_ramp)
    _show_instructions(lab, account, folder and folder / f"{on_ramp.picture}.png")
    conversion = _pay_deposit(lab, account, on_ramp)
    if folder:
        for list_name in ("conversions", "transfers"):
            export_result = getattr(lab, list_name).export(folder / f"{list_name}.csv")
            _print_fact("CSV", f"{export_result.path}, {count(export_result.rows, 'row')}")
    deposit_instructions = account.deposit_instructions.raw if account.deposit_instructions else {}
    return {
        "individual_id": person.id,
        "conversion_account_id": account.id,
        "deposit_instructions": deposit_instructions,
        "conversion_id": conversion.id,
        "status": conversion.status,
    }


def _verify_person(lab: Lab, country: str) -> Individual:
    """Create an example person, send what verification needs, and wait for its outcome."""
    value_by_field = examples.individual(country, consent_at=lab.clock())
    person = lab.individuals.create(**value_by_field)
    needed_codes = [detail.code or "" for detail in person.status_details or []]
    _print_fact("Individual", f"{person.id} {person.status}: {', '.join(needed_codes)}")
    if status.verifies_by_token(person.country, needed_codes, lab.service.verification):
        token_fields = examples.verification_token(accepted_at=lab.clock())
        lab.individuals.submit_token(person.id, **token_fields)
        _print_fact("Token", f"{token_fields['token']} (an example)")
    else:
        _upload(lab, person, needed_codes)
    person = lab.individuals.wait(person.id)
    _print_fact("Verification", f"{person.status}")
    return person


def _upload(lab: Lab, person: Individual, needed_codes: Sequence[str]) -> None:
    """Upload a specimen of each document side that the codes need; nothing if they need none."""
    from ..views.specimens import specimen

    full_name = f"{person.given_name} {person.family_name}"
    country = str(person.country)
    needed_sides = {
        image_side
        for detail_code in needed_codes
        for image_side in status.detail(detail_code).sides
    }
    image_by_side = {
        image_side: specimen(image_side, name=full_name, country=country)
        for image_side in codes.IMAGE_SIDES
        if image_side in needed_sides
    }
    if image_by_side:
        lab.individuals.upload_images(person.id, image_by_side)
        _print_fact("Images", f"{', '.join(image_by_side)} (specimens made here)")


def _open_account(lab: Lab, person: Individual, on_ramp: OnRamp) -> ConversionAccount:
    """Register an example wallet, open a conversion account for it, and wait until it is open."""
    wallet_details = examples.wallet(lab.service)
    wallet = lab.financial_accounts.create(person.id, codes.CRYPTO_WALLET, wallet_details)
    _print_fact("Wallet", f"{wallet.id} on {wallet_details['network']}")
    account = lab.conversion_accounts.create(person.id, wallet.id, on_ramp.currency)
    _print_fact("Account", f"{account.id} {account.status}")
    if account.status == "pending":
        account = lab.conversion_accounts.wait(account.id)
        _print_fact("Account", f"{account.id} {account.status}")
    return account


def _show_instructions(lab: Lab, account: ConversionAccount, picture: Path | None) -> None:
    """Print what to pay to; a QR code is also saved as a picture if its path is given."""
    from ..views.qr import QR

    card_or_qr = lab.deposit_card(account)
    print()
    if isinstance(card_or_qr, QR):
        draw_qr_code(card_or_qr)
    say(f"{card_or_qr!r}\n")
    if isinstance(card_or_qr, QR) and picture:
        _print_fact("QR", str(card_or_qr.save(picture)))


def _pay_deposit(lab: Lab, account: ConversionAccount, on_ramp: OnRamp) -> Conversion:
    """Pay a sandbox deposit of the largest amount, and wait until its conversion ends."""
    deposit = lab.sandbox.deposit(account.id, on_ramp.cap, on_ramp.currency)
    _print_fact("Deposit", f"{deposit.id} {deposit.amount} {deposit.currency}")
    conversion = lab.conversions.wait(conversion_account_id=account.id)
    for event in lab.events(conversion.id):
        _print_fact("Event", str(event))
    payout = conversion.payout
    payout_text = f"{payout.amount} {payout.currency}, {payout.tx_hash}" if payout else ""
    _print_fact("Conversion", f"{conversion.id} {conversion.status}: {payout_text}")
    return conversion


def _print_fact(label: str, fact_text: str) -> None:
    """Print a fact in the columns of the walkthrough."""
    say(f"{label:<13}{printable(fact_text)}")
