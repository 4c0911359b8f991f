"""Probe valid requests: statuses, responses, status moves and repeated keys.

All questions here create synthetic objects in a sandbox and need `--write`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..spec import codes
from . import objects
from .answers import ServiceReply
from .inquiry import PREFIX, WRITES, Inquiry, Question, keys_of, known_words, ordered
from .objects import BACK, FRONT, SMALL, verified
from .requests import NotAskedError

TOKEN_COUNTRIES = ("US", "SG", "VN", "AE")
TOKEN = "verification_token_needed"


def _individuals(inquiry: Inquiry) -> None:
    """Create an individual with global_payouts only: status and response."""
    person = objects.new_individual(inquiry, "individual AR", "AR", codes.GLOBAL_PAYOUTS)
    inquiry.answer("success_codes.individuals", person.status, *person.replies)
    status = person.object.get("status")
    if isinstance(status, str):
        inquiry.answer("individuals.initial_status", status, *person.replies)


def rails(inquiry: Inquiry) -> None:
    """Send transfers without an amount over a wrong rail: the refusal lists the rails."""
    path = inquiry.path("create_transfer")
    for place, corridor in objects.PLACES.items():
        key = f"rails.{place}"
        try:
            account = objects.account_id_of(inquiry, f"individual {place}", corridor.country)
        except NotAskedError as error:
            inquiry.skip(key, str(error))
            continue
        body = {
            "financial_account": {"id": account},
            "source_currency": objects.currency(inquiry, "USD"),
            "destination_currency": objects.currency(inquiry, corridor.currency),
        }
        reply = _over(inquiry, path, body, "fed_now")
        named = [word for each in reply.about("payout_method") for word in each.choices]
        if named:
            inquiry.answer(key, inquiry.followed(key, named), reply)
        elif reply.about("payout_method"):
            _try_rails(inquiry, key, path, body)


def _over(inquiry: Inquiry, path: str, body: Mapping[str, Any], method: str) -> ServiceReply:
    sent = inquiry.sent("transfers", {**body, "payout_method": method})
    return inquiry.requests.refused(path, sent, inquiry.requests.new_key())


def _try_rails(inquiry: Inquiry, key: str, path: str, body: Mapping[str, Any]) -> None:
    """Try the assumed rails and those of other services, if the refusal lists none."""
    replies = {word: _over(inquiry, path, body, word) for word in known_words(key)}
    taken = [word for word, reply in replies.items() if not reply.about("payout_method")]
    inquiry.answer(key, ordered(taken, key), *replies.values(), why=f"of {len(replies)} tried")


def updates(inquiry: Inquiry) -> None:
    """Update one field of an account that needs two: it is refused, or merged."""
    account = objects.account_id_of(inquiry, "individual CO", "CO")
    names = inquiry.service.detail_names("CO", codes.BANK_ACCOUNT)
    body = {"details": names.send({"account_number": "000000000001"})}
    reply = inquiry.requests.write(inquiry.path("update_financial_account", account), body)
    merged = reply.went_well and len(reply.object.get("details") or ()) != 1
    if reply.went_well or reply.missing("details"):
        inquiry.answer("financial_accounts.update", "merge" if merged else "replace", reply)


def verification(inquiry: Inquiry) -> None:
    """Read the status details of new on_ramp individuals, by country and document."""
    asked: dict[str, tuple[set[str], tuple[ServiceReply, ...]]] = {}
    for country in ("MX", "PH", "CO", *TOKEN_COUNTRIES):
        try:
            person = objects.ramp_individual(inquiry, country)
        except NotAskedError as error:
            inquiry.remarks.append(f"on_ramp {country}: {error}")
            continue
        found = person.object.get("status_details") or ()
        wanted = {str(each.get("code")) for each in found if isinstance(each, dict)}
        asked[country] = wanted, person.replies
    _documents(inquiry, asked)
    _tokens(inquiry, asked)
    new = {code for wanted, _ in asked.values() for code in wanted} - {*codes.STATUS_DETAIL_CODES}
    if new:
        inquiry.answer("statuses.detail_codes", ordered(sorted(new), "statuses.detail_codes"))


def _documents(inquiry: Inquiry, asked: Mapping[str, Any]) -> None:
    key = "verification.one_sided_documents"
    one_sided = inquiry.words(key)
    replies: list[ServiceReply] = []
    for country in ("MX", "PH", "CO"):
        wanted, evidence = asked.get(country, (set(), ()))
        if not wanted or TOKEN in wanted:
            continue
        kind = objects.DOCUMENTS.get(country, objects.PASSPORT)["type"]
        one_sided = [each for each in one_sided if each != kind]
        one_sided += [] if BACK in wanted else [kind]
        replies += evidence
    if replies:
        inquiry.answer(key, ordered(one_sided, key), *replies)


def _tokens(inquiry: Inquiry, asked: Mapping[str, Any]) -> None:
    key = "verification.token_countries"
    countries = [each for each, (wanted, _) in asked.items() if TOKEN in wanted]
    if not asked:
        return
    replies = [reply for _, evidence in asked.values() for reply in evidence]
    others = [each for each in inquiry.words(key) if each not in asked]
    inquiry.answer(key, ordered([*countries, *others], key), *replies)
    someone = objects.ramp_individual(inquiry, (countries or ["MX"])[0])
    path = inquiry.path("submit_verification_token", someone.id)
    wrong = inquiry.requests.refused(path, {"provider": PREFIX})
    named = [word for each in wrong.about("provider") for word in each.choices]
    if named:
        inquiry.answer("verification.provider", named[0], wrong)
    elif wrong.about("provider"):
        assumed = str(inquiry.value("verification.provider"))
        reply = inquiry.requests.refused(path, {"provider": assumed})
        if not reply.about("provider"):
            inquiry.answer("verification.provider", assumed, reply)


def images(inquiry: Inquiry) -> None:
    """Upload an image of 10,100 bytes, then the images for verification."""
    person = objects.ramp_individual(inquiry, "MX")
    path = inquiry.path("upload_verification_images", person.id)
    small = inquiry.requests.write(path, objects.images(SMALL, FRONT))
    if small.went_well or small.complaints or small.status in (400, 422):
        inquiry.answer("images.kilobyte", 1000 if small.went_well else 1024, small)
    verified(inquiry, "MX")


def wallet_update(inquiry: Inquiry) -> None:
    """Update a wallet, which the specification forbids."""
    owner = objects.ramp_individual(inquiry, "MX")
    wallet = objects.new_wallet(inquiry, "wallet MX", owner.id)
    if not inquiry.knows("error_codes.details"):
        body = {"individual_id": owner.id, "type": codes.CRYPTO_WALLET, "details": {}}
        refused = inquiry.requests.refused(inquiry.path("create_financial_account"), body)
        inquiry.answer("error_codes.details", refused.status, refused)
    body = {"details": objects.wallet_details(inquiry)}
    reply = inquiry.requests.refused(inquiry.path("update_financial_account", wallet.id), body)
    inquiry.answer("error_codes.wallet_update", reply.status, reply)


QUESTIONS = (
    Question(WRITES, _individuals, "success_codes.individuals", "individuals.initial_status"),
    Question(WRITES, rails, *keys_of("rails.")),
    Question(WRITES, updates, "financial_accounts.update"),
    Question(
        WRITES,
        verification,
        "verification.one_sided_documents",
        "verification.token_countries",
        "verification.provider",
    ),
    Question(WRITES, images, "images.kilobyte"),
    Question(WRITES, wallet_update, "error_codes.wallet_update"),
)
