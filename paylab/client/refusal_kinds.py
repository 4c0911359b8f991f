"""The kinds of refusals that services share, recognized by their status and their words.

Each kind has one sentence of advice that is true of every service.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

CODES = frozenset(
    {"code", "type", "name", "errorcode", "errortype", "status", "title", "id", "issue"}
)
"""Keys whose values are codes: they are read beside the message, if they are words."""
DEPTH_MAX = 6
TEXT_LENGTH_MAX = 2_000

UNAUTHORIZED = 401
FORBIDDEN = 403
TOO_MANY = 429

_CALLER = r"\b(your|merchant|developer|api)( api)? (account|key|client|merchant|user)\b"
_OTHERS = re.compile(
    r"\b(recipient|beneficiary|customer|individual|person|payee|bank|wallet|payment|payout"
    r"|transfer|quote|consent|rail)\b",
    re.IGNORECASE,
)
"""Persons and objects that a call is about: words about them are not about the caller."""
_CONSENT = re.compile(r"\bconsent\b", re.IGNORECASE)
"""A 401 with this word is about the consent of a person, not about the credentials."""
_CALLERS = re.compile(r"\b(your|merchant|developer|api|endpoint)\b", re.IGNORECASE)


def _compile_words(pattern_text: str) -> re.Pattern[str]:
    """A pattern for words in any letter case; its ^ and $ match at each line."""
    return re.compile(pattern_text, re.IGNORECASE | re.MULTILINE)


NOTHING = _compile_words(r"(?!)")


@dataclass(frozen=True)
class RefusalKind:
    """A kind: the words that tell it, the words that exclude it, and what to do.

    A kind about the caller is told by `words` after a 401 or 403, where the caller is the subject;
    elsewhere only by the `phrases` that name the caller or what only a caller has.
    """

    name: str
    words: re.Pattern[str]
    advice: str
    against: re.Pattern[str] = NOTHING
    phrases: re.Pattern[str] | None = None

    @property
    def is_about_caller(self) -> bool:
        """Whether the kind is about who calls, not about what the call is about."""
        return self.phrases is not None

    def matches(self, status: int, refusal_text: str) -> bool:
        """Whether a refusal with this status and these words is of this kind."""
        if self.against.search(refusal_text):
            return False
        if self.phrases is None:
            return bool(self.words.search(refusal_text))
        # Single words are enough if the status is about the caller; otherwise it takes a phrase.
        if status not in (UNAUTHORIZED, FORBIDDEN):
            return bool(self.phrases.search(refusal_text))
        return bool(self.words.search(refusal_text)) and not _is_about_others(refusal_text)


def _is_about_others(refusal_text: str) -> bool:
    """Whether words are about somebody or something in the call rather than about who calls."""
    return bool(_OTHERS.search(refusal_text)) and not _CALLERS.search(refusal_text)


_RATE = r"(?<!exchange )(?<!fx )(?<!conversion )(?<!interest )\brate[ -]?limit"
_REQUESTS = (
    r"|\btoo many requests\b|\bthrottl(ed|ing)\b|^rate exceeded"
    r"|\b(requests|calls) per (second|minute|hour|day)\b"
)
RATE = RefusalKind(
    "rate",
    _compile_words(rf"{_RATE}(s|ed|ing)?\b|\brequest quota\b|\bquota exhausted\b{_REQUESTS}"),
    "too many requests: wait before the next one, and send fewer",
    phrases=_compile_words(rf"{_RATE} (has been |was |is )?(exceeded|reached|error)\b{_REQUESTS}"),
)
NONCE = RefusalKind(
    "nonce",
    _compile_words(r"\bnonces?\b|\b(request id|timestamp)\b[\w ]{0,20}\balready (seen|used)\b"),
    "each request has a new nonce: a repeated one means that a request was sent twice, or that "
    "another machine uses this key; make the call again",
    _compile_words(r"\b(credentials?|signature|missing|required|header)\b"),
    NOTHING,
)
_IP = (
    r"\bip[ -]?(whitelist|allow.?list)|\b(your|unregistered|unauthori[sz]ed) ip\b"
    r"|^ip( address)?( [\da-f.:]+)?( is)? not (allowed|permitted|registered|whitelisted)\b"
)
ADDRESS = RefusalKind(
    "address",
    _compile_words(
        rf"{_IP}|\bip[ -]?(address|allow|restrict)|\bip does not match\b|\ballowed ips\b"
    ),
    "the service does not accept calls from the address of this machine: ask your provider to "
    "allow it",
    phrases=_compile_words(_IP),
)
SUSPENSION = RefusalKind(
    "suspension",
    _compile_words(
        r"\b(suspended|deactivated|terminated|revoked|cannot currently make)\b"
        r"|\b(account|client|merchant|key|user)\b[\w ]{0,40}"
        r"\b(disabled|frozen|paused|blocked|not active|inactive)\b"
        r"|\bkeys?\b[\w ]{0,20}\bexpired\b|\bexpired[\w ]{0,10} key\b"
    ),
    "only your provider can change this: ask why the account or key is not active",
    phrases=_compile_words(
        rf"{_CALLER} (has been |was |is )?"
        r"(suspended|deactivated|terminated|revoked|disabled|frozen|paused|blocked|inactive"
        r"|not active|expired)\b"
        r"|\b(suspended|disabled|paused|blocked) (on|for) your account\b"
    ),
)
CLOCK = RefusalKind(
    "clock",
    _compile_words(
        r"\b(signature|request)( has)? expired\b|\bexpired request\b|\bclock\b|\bskew(ed)?\b"
        r"|\btimestamp[\w ]{0,40}\b(old|future|outside|range|expired|ahead|behind)\b|\bx-date\b"
    ),
    "set this machine's clock: the time of the request is too far from that of the service",
    _compile_words(r"\b(missing|required)\b"),
    _compile_words(
        r"\bsignature( has)? expired\b|\bclock skew(ed)?\b|\bx-date\b"
        r"|\btimestamp (for|of) (this|the) request\b[\w ]{0,40}"
        r"\b(old|future|outside|ahead|behind)\b"
    ),
)
_KEY = r"(api|access|subscription).?(key|token)"
_TOKEN = r"(authentication|security|access) token"
AUTHENTICATION = RefusalKind(
    "authentication",
    _compile_words(
        r"\bsignatures?\b|\bcredentials?\b|\bauthentication failed\b|\bfailed to authenticate\b"
        rf"|\b(invalid|unknown|incorrect|expired|missing)[\w ]{{0,20}}({_KEY}|{_TOKEN})"
        rf"|({_KEY}|{_TOKEN})[\w ]{{0,40}}\b(invalid|expired|unknown|missing|not found)\b"
    ),
    "check that API key and secret belong together and to this service and environment; "
    "`paylab doctor` sends one signed request, lab.explain() shows what was signed",
    phrases=_compile_words(
        r"\b(invalid|unknown|incorrect) (api.?key|signature|request signature)\b(?! \w)"
        r"|\bapi.?key (is )?(invalid|unknown|not found)\b|\bsignature (does not match|mismatch)\b"
    ),
)
FUNDS = RefusalKind(
    "funds",
    _compile_words(
        r"\binsufficient (\w+ )?(fund|balance)"
        r"|\b(balance|funds)\b[\w ]{0,20}\b(not enough|too low)\b"
        r"|\bnot enough (money|funds|balance)\b|\bbalance insufficient\b"
    ),
    "there is too little money: fund the account, then make the call again",
)
LIMIT = RefusalKind(
    "limit",
    _compile_words(
        r"\blimit (is |was |has been )?(exceeded|reached)\b|\bvelocity\b|\bdaily (maximum|limit)\b"
        r"|\bmaximum (number|amount that can)\b|\babove the[\w ]{0,30}\bmaximum\b"
        r"|\bexceeds the[\w ]{0,30}\blimit\b|\b(transaction|transfer|sending|amount) limit\b"
    ),
    "a limit is reached: stay below it, or ask your provider about it",
    _compile_words(
        r"\b(minimum|below|less than|lower than|at least|not reach|digits|characters?|length"
        r"|decimals?)\b"
    ),
)
DUPLICATE = RefusalKind(
    "duplicate",
    _compile_words(
        r"\balready (exists?|used|been (used|created|taken)|created)\b|\bduplicate"
        r"|\bhas been used\b|\bunique reference\b"
        r"|idempot\w*[\w ]{0,40}\b(same param|conflict|used|created)"
    ),
    "something with this value or key was made before: look it up before you send anything again",
    _compile_words(
        r"\bjson\b|\bduplicated? (key|field|param\w*|header|propert\w*)\b(?! value)"
        r"|\b(token|link|code|nonce|quote)\b[\w ]{0,20}\b(used|exists?)\b"
    ),
)
PERMISSION = RefusalKind(
    "permission",
    _compile_words(
        r"\bpermissions?\b|\bprivileges?\b|\b(not|no) authori[sz](ed|ation)\b|\bforbidden\b"
        r"|\bunauthori[sz]ed to\b|\binsufficient.scope|\baccess.?denied\b|\bexplicit deny\b"
        r"|\bnot accessible\b"
    ),
    "the service refuses this call: ask your provider whether this key or account may make it",
    phrases=_compile_words(
        r"^access.?denied[.!]?$|^account not authori[sz]ed\b|\bdoes not allow payouts\b"
        r"|\byour (\w+ )?(account|key)[\w ]{0,20}\b(permissions?|not authori[sz]ed|not enabled)\b"
    ),
)
ALL = (
    RATE, NONCE, ADDRESS, SUSPENSION, CLOCK, AUTHENTICATION, FUNDS, LIMIT, DUPLICATE, PERMISSION,
)  # fmt: skip
DEFAULTS = {TOO_MANY: RATE, UNAUTHORIZED: AUTHENTICATION, FORBIDDEN: PERMISSION}
"""The kind of a status whose words tell no other."""


SANDBOX_ONLY_ADVICE = (
    "deposits can be simulated only in the sandbox: check the base URL and the keys"
)
CURSOR = "list again from the start: a cursor is valid only in its list and with the same filters"
KEY_FORM = "an Idempotency-Key is a UUID of 36 characters; omit it and paylab makes one"
NO_KEY = (
    'this call has no Idempotency-Key: give it one, idempotency_key="<a UUID of 36 characters>"'
)
KEY_SENT = "it was sent as Idempotency-Key: ask your provider where the key has to be"
KEY_IN_USE = "a request with this Idempotency-Key is under way: wait, then make the same call"
OTHER_VALUES = (
    "this Idempotency-Key was used with another body in the last 24 hours: look at what it made "
    "in the list before you pay again"
)


def find_kind(status: int, text: str, body: object = None) -> RefusalKind | None:
    """The kind of a refusal; None if neither its words nor its status tell one."""
    if not 400 <= status < 500:
        return None
    if status == TOO_MANY:
        return RATE
    all_text = "\n".join((text, *_find_codes(body)))
    refusal_text = all_text[:TEXT_LENGTH_MAX].replace("_", " ")
    for refusal_kind in ALL:
        # A 401 is about the caller: what "was used" is then a nonce or a key, not an order.
        if refusal_kind is DUPLICATE and status == UNAUTHORIZED:
            continue
        if refusal_kind.matches(status, refusal_text):
            return refusal_kind
    # The status alone would blame the caller's key, but the words are about somebody else.
    if status == FORBIDDEN and _is_about_others(refusal_text):
        return None
    if status == UNAUTHORIZED and _CONSENT.search(refusal_text):
        return None
    return DEFAULTS.get(status)


def _find_codes(body: object, depth: int = DEPTH_MAX) -> Iterator[str]:
    """The codes in an error body as words: "rate Limit" for `{"errorCode": "rateLimit"}`."""
    if isinstance(body, list) and depth:
        for member in body[:10]:
            yield from _find_codes(member, depth - 1)
    if not isinstance(body, dict) or not depth:
        return
    for field_name, field_value in body.items():
        if isinstance(field_value, str) and field_name.replace("_", "").lower() in CODES:
            yield re.sub(r"([a-z])([A-Z])", r"\1 \2", field_value[:100])
        else:
            yield from _find_codes(field_value, depth - 1)
