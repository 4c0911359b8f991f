"""Deviations of access: production, closed doors, signatures and rates."""

from email.utils import format_datetime

from third_service.hooks import FOLLOW, HOPELESS, Deviation, only, refuse
from third_service.names import DEPOSIT
from third_service.wire import Refusal

PRODUCTION = [  # (name, status, words, headers)
    ("403", 403, {"error": "This operation is available in the sandbox only"}, None),
    ("403-empty", 403, "", None),
    ("401", 401, {"message": "Unauthorized"}, None),
    ("404", 404, {"error": "Not Found"}, None),
    ("404-html", 404, "<html><body><h1>404 Not Found</h1></body></html>", None),
    ("405", 405, {"error": "Method Not Allowed"}, {"Allow": "GET, HEAD"}),
    ("400", 400, {"error": {"code": "unsupported_environment",
                            "message": "Not available for live accounts"}}, None),
    ("422", 422, {"message": "Simulation is disabled for this organization"}, None),
    ("500", 500, {"error": "Internal Server Error"}, None),
    ("502", 502, "<html><body>502 Bad Gateway</body></html>", None),
    ("503", 503, {"message": "Service Unavailable"}, {"Retry-After": "1"}),
    ("501", 501, "not implemented", None),
    ("302", 302, "", {"Location": "/login"}),
    ("200-html", 200, "<!doctype html><html><body><div id=root></div></body></html>", None),
]  # fmt: skip
CLOSED = [  # (name, which requests: gate or POST, status, words, headers, changes)
    ("address", "gate", 403, {"error": "Your IP address 203.0.113.9 is not on the allow list"},
     None),
    ("suspended", "gate", 403, {"code": "ACCOUNT_SUSPENDED",
                                "message": "Your account is suspended. Contact support."}, None),
    ("scope", "POST", 403, {"error": {"type": "permission_error", "message":
                                      "This API key lacks the scope individuals:write"}}, None),
    ("read-only", "POST", 401, {"message": "Read-only API keys cannot make write requests"}, None),
    ("ed25519", "POST", 401, {"error": "Write operations must be signed with an Ed25519 key"},
     None),
    ("key", "gate", 401, {"error": "API key is inactive or was revoked"}, None),
    ("bearer", "gate", 401, {"error": "invalid_token", "error_description":
                             "Authorization must be a Bearer token"},
     {"WWW-Authenticate": "Bearer realm=api"}),
    ("certificate", "gate", 400, "<html><head><title>400 No required SSL certificate was sent"
                                 "</title></head></html>", None),
    ("plan", "POST", 402, {"message": "Upgrade your plan to use this product"}, None),
    ("firewall", "gate", 403, "<!DOCTYPE html><html><title>Attention Required!</title><body>"
                              "Sorry, you have been blocked</body></html>", None),
    ("rate", "gate", 403, {"message": "API rate limit exceeded for your organization"},
     {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "4102444800"}),
    ("limited", "gate", 429, {"message": "API rate limit exceeded"}, {"Retry-After": "3600"}),
    ("quota", "POST", 429, {"error": "Daily quota of write requests used up"},
     {"X-Quota-Remaining": "0"}),
    ("maintenance", "gate", 503, {"message": "Scheduled maintenance until Monday"}, None),
    ("gateway", "gate", 404, {"message": "no Route matched with those values"}, None),
    ("gone", "gate", 410, {"message": "API v1 was switched off, use v3"}, None),
    ("failing", "POST", 500, "", None),
]  # fmt: skip
SIGNING = [  # (name, changes, settings, words)
    ("query-blank", "an empty query is a blank line", {"query_line": "blank"},
     {"error": "Signature mismatch"}),
    ("query-sorted", "the query is sorted before it is signed", {"query_sorted": True},
     {"message": "The request signature we calculated does not match"}),
    ("header-order", "signed headers come in the order of the sample",
     {"header_order": "host;x-api-key;x-date;x-content-sha256;x-nonce"},
     {"error": "SignedHeaders must be host;x-api-key;x-date;x-content-sha256;x-nonce"}),
    ("port", "the host is signed without its port", {"port_signed": False}, None),
    ("key-hex", "the secret is hex text of the key", {"key": "hex"}, {"error": "bad signature"}),
    ("key-base64", "the secret is Base64 of the key", {"key": "base64"}, "invalid signature"),
    ("hash-base64", "body hashes are Base64", {"body_hash": "base64"},
     {"error": "X-Content-SHA256 mismatch"}),
    ("hash-empty", "no body has an empty hash", {"body_hash": "hex, nothing for no body"},
     {"error": "X-Content-SHA256 must be empty when there is no body"}),
    ("signature-hex", "the signature is hex text", {"signature": "hex"},
     {"code": "SIGNATURE_INVALID"}),
    ("signature-bytes", "the signature is Base64 of the bytes", {"signature": "bytes in base64"},
     {"code": 1022, "msg": "Signature for this request is not valid."}),
    ("date-seconds", "X-Date has no milliseconds", {"date_form": "seconds"},
     {"error": "X-Date must be yyyy-MM-ddTHH:mm:ssZ"}),
    ("date-compact", "X-Date is compact", {"date_form": "compact"},
     {"error": "X-Date must look like 20260131T093000Z"}),
    ("date-unix", "X-Date is a unix time", {"date_form": "unix"},
     {"error": "X-Date: not a unix timestamp"}),
    ("nonce-absent", "X-Nonce is refused", {"nonce": "refused"},
     {"error": "Unexpected signed header x-nonce"}),
    ("nonce-required", "X-Nonce is required", {"nonce": "required"},
     {"error": "X-Nonce is required"}),
    ("nonce-uuid", "X-Nonce is a UUID", {"nonce_form": "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"},
     {"error": "X-Nonce must be a UUID"}),
    ("clock", "the service is 10 minutes ahead", {"clock_ahead": 600},
     {"error": "Request expired"}),
    ("status-403", "a bad signature is 403", {"signature_status": 403},
     {"message": "Forbidden: signature verification failed"}),
    ("base-path", "the base address has a path that is signed", {"base_path": "/api/pay"}, None),
    ("base-path-unsigned", "the base address has a path that is not signed",
     {"base_path": "/api/pay", "base_path_signed": False}, {"error": "Invalid signature"}),
    ("version-unsigned", "the path is signed without /v1", {"version_signed": False},
     {"error": "Invalid signature"}),
]  # fmt: skip
TOO_MANY = {"message": "Too Many Requests"}
RESETS = {
    "epoch": {"X-RateLimit-Reset": lambda now: str(int(now.timestamp()) + 1)},
    "delta": {"RateLimit-Reset": lambda now: "1", "RateLimit-Remaining": lambda now: "0"},
    "http-date": {"Retry-After": lambda now: format_datetime(now, usegmt=True)},
    "milliseconds": {"Retry-After-Ms": lambda now: "300"},
    "none": {},
}


def sometimes(headers):
    """A hook that answers every seventh request with 429 and the headers."""

    def hook(_call, service):
        if service.requests.total() % 7 == 0:
            fields = {name: write(service.now()) for name, write in headers.items()}
            raise Refusal(429, words=TOO_MANY, headers=fields)

    return hook


def sandbox_only_once(call, service):
    """Refuse the first deposit with 403, and each later one with 401."""
    first = service.requests["POST", call.path] == 1
    words = {"error": "Sandbox only"} if first else {"error": "Unauthorized"}
    raise Refusal(403 if first else 401, words=words)


def sandbox_only_at_last(call, service):
    """Check the fields of a deposit first, and refuse it with 403 only when they are right."""
    if call.body.get("conversion_account_id") in service.rows["conversion_account"]:
        raise Refusal(403, words={"error": "Deposits can be simulated in the sandbox only"})


def access_deviations():
    """All of them."""
    hook = only(sandbox_only_once, DEPOSIT)
    changes = "production: the first deposit is 403, later ones are 401"
    yield Deviation("production-403-then-401", changes, HOPELESS, request=hook)
    hook = only(sandbox_only_at_last, DEPOSIT)
    changes = "production: a deposit to an unknown account is 404, one to a known account is 403"
    yield Deviation("production-403-at-last", changes, HOPELESS, request=hook)
    for name, code, words, headers in PRODUCTION:
        hook = only(refuse(code, words, headers), DEPOSIT)
        changes = f"production: deposits answer {code}"
        yield Deviation(f"production-{name}", changes, HOPELESS, words, request=hook)
    for name, where, code, words, headers in CLOSED:
        hook = refuse(code, words, headers)
        hooks = {"gate": hook} if where == "gate" else {"request": only(hook, method="POST")}
        changes = f"{'each request' if where == 'gate' else 'each POST'} is refused with {code}"
        yield Deviation(f"closed-{name}", changes, HOPELESS, words, **hooks)
    for name, changes, settings, words in SIGNING:
        worded = settings | {"signature_words": words}
        yield Deviation(f"signing-{name}", changes, FOLLOW, words, worded)
    for name, headers in RESETS.items():
        hook = sometimes(headers)
        changes = f"every seventh request is 429; time to wait: {name}"
        yield Deviation(f"rate-{name}", changes, FOLLOW, TOO_MANY, gate=hook)
