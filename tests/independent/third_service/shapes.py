"""Deviations of envelopes, pages, error bodies, times, limits, words and paths."""

from third_service.error_bodies import SHAPES
from third_service.hooks import FILL, FOLLOW, HOPELESS, PART, Deviation, page, single
from third_service.names import DEPOSIT, IMAGES, ONRAMP, QUOTE

ENVELOPES = [  # (name, client, what is made of (kind, object))
    ("data", FOLLOW, lambda kind, body: {"data": body}),
    ("result", FOLLOW, lambda kind, body: {"result": body}),
    ("kind", FOLLOW, lambda kind, body: {kind: body}),
    ("meta", FOLLOW, lambda kind, body: {"data": body, "meta": {"request_id": "req_1"}}),
    ("success", FOLLOW, lambda kind, body: {"success": True, "payload": body, "errors": []}),
    ("nested", FOLLOW, lambda kind, body: {"response": {"data": body}}),
    ("attributes", HOPELESS, lambda kind, body: {
        "data": {"id": body.get("id"), "type": kind, "attributes": {
            k: v for k, v in body.items() if k != "id"}}}),
    ("list", HOPELESS, lambda kind, body: [body]),
    ("reference-only", HOPELESS, lambda kind, body: {"href": f"/v1/{kind}s/{body.get('id')}"}),
]  # fmt: skip
PAGES = [  # (name, client, what is made of (operation, rows, cursor))
    ("items", FOLLOW, lambda kind, rows, cursor: {
        "items": rows, "has_next_page": bool(cursor), "cursor": cursor}),
    ("next-cursor", FOLLOW, lambda kind, rows, cursor: {
        "data": rows, "has_more": bool(cursor), "next_cursor": cursor}),
    ("nested", FOLLOW, lambda kind, rows, cursor: {
        "result": {"rows": rows}, "paging": {"cursors": {"after": cursor}}}),
    ("kind", FOLLOW, lambda kind, rows, cursor: {kind: rows, "cursor": cursor}),
    ("enveloped", FOLLOW, lambda kind, rows, cursor: {
        "data": {"data": rows, "has_next_page": bool(cursor), "cursor": cursor}}),
    ("bare", FOLLOW, lambda kind, rows, cursor: rows),
    ("url", PART, lambda kind, rows, cursor: {
        "data": rows, "next": cursor and f"https://api.example/v1/{kind}?cursor={cursor}"}),
    ("endless", PART, lambda kind, rows, cursor: {
        "data": rows, "has_next_page": True, "cursor": "eyJwb3NpdGlvbiI6IDk5OTk5LCAiZGlyZWN0aW9uI"
                                                       "jogIm5leHQifQ=="}),
]  # fmt: skip
SETTINGS = [  # (name, changes, client, settings)
    ("late-individuals", "an individual can be read 1.5 s after it is created", FOLLOW,
     {"late": {"individual": 1.5}}),
    ("late-accounts", "a financial account can be used 1 s after it is created", FOLLOW,
     {"late": {"financial_account": 1}}),
    ("late-transfers", "a transfer can be read 2 s after it is created", FOLLOW,
     {"late": {"transfer": 2}}),
    ("late-onramps", "a conversion account can be read 1.5 s after it is created", FOLLOW,
     {"late": {"conversion_account": 1.5}}),
    ("late-quotes", "a quote can be used 1 s after it is created", FOLLOW, {"late": {"quote": 1}}),
    ("late-lists", "lists show objects 1.5 s after they are created", FOLLOW, {"late_lists": 1.5}),
    ("invalid-422", "invalid bodies are 422", FOLLOW, {"invalid_status": 422}),
    ("conflict-422", "a key with another body is 422", FOLLOW, {"conflict_status": 422}),
    ("cap", "deposits are at most 20.00", FOLLOW, {"cap": {"MXN": "20.00", "PHP": "20.00"}}),
    ("provisioning-202", "every conversion account is 202 first", FOLLOW,
     {"provisioning": {"MX": 202, "PH": 202}}),
    ("provisioning-201", "every conversion account is active at once", FOLLOW,
     {"provisioning": {"MX": 201, "PH": 201}}),
    ("provisioning-201-pending", "a conversion account is 201 and pending", FOLLOW,
     {"provisioning": {"MX": -201, "PH": -201}}),
    ("images-one", "one image a request", FOLLOW, {"images_most": 1}),
    ("images-least", "images have at least 50 KB", FOLLOW, {"image_bytes_least": 51_200}),
    ("images-jpeg", "images are JPEG only", FOLLOW, {"image_types": ("image/jpeg",)}),
    ("images-base64", "images have no data: prefix", FOLLOW, {"image_prefix": False}),
    ("images-back", "the back of a document is needed, too", FOLLOW,
     {"sides": ("document-front", "document-back", "selfie")}),
    ("kyc-none", "everybody is active at once", FOLLOW, {"kyc": "none"}),
    ("kyc-never", "verification never ends", PART, {"kyc": "never"}),
    ("limit-50", "pages have at most 50 rows", FOLLOW, {"limit_most": 50}),
    ("oldest-first", "lists begin with the oldest", FOLLOW, {"newest_first": False}),
    ("words-networks", "networks have other words", FOLLOW,
     {"networks": ("base_sepolia", "ethereum_sepolia")}),
    ("words-pix", "PIX key types are in upper case", FOLLOW,
     {"pix_key_types": ("CPF", "CNPJ", "EMAIL", "PHONE", "EVP")}),
    ("words-issuers", "issuers in PH are BIC codes", FOLLOW,
     {"issuers": ("BOPIPHMM", "BNORPHMM", "GXCHPHM2")}),
    ("path-webhooks", "subscriptions are at /v1/webhooks", FILL, {"paths": {
        f"webhook_subscriptions.{verb}": (method, f"/v1/webhooks{rest}") for verb, method, rest in (
            ("create", "POST", ""), ("list", "GET", ""), ("get", "GET", "/{id}"),
            ("delete", "DELETE", "/{id}"))}}),
    ("path-quotes", "quotes are at /v1/transfers/quotes", FILL,
     {"paths": {QUOTE: ("POST", "/v1/transfers/quotes")}}),
    ("path-deposits", "deposits are at /v1/simulations/deposits", FILL,
     {"paths": {DEPOSIT: ("POST", "/v1/simulations/deposits")}}),
    ("path-images", "images are at /v1/individuals/{id}/documents", FILL, {"paths": {
        IMAGES: ("POST", "/v1/individuals/{id}/documents"),
        "individuals.images": ("GET", "/v1/individuals/{id}/documents")}}),
    ("path-onramps", "conversion accounts are at /v1/virtual_accounts", FILL, {"paths": {
        ONRAMP: ("POST", "/v1/virtual_accounts"),
        "conversion_accounts.list": ("GET", "/v1/virtual_accounts"),
        "conversion_accounts.get": ("GET", "/v1/virtual_accounts/{id}")}}),
]  # fmt: skip


def whole_list(call, _service):
    """A list without a cursor has all rows."""
    if call.operation.endswith(".list"):
        call.params = call.params | {"limit": "100"}


def shape_deviations():
    """All of them."""
    for name, client, wrap in ENVELOPES:
        changes = f"single objects are in an envelope: {name}"
        yield Deviation(f"envelope-{name}", changes, client, answer=single(wrap))
    for name, client, shape in PAGES:
        changes = f"pages have the shape {name}"
        request = whole_list if name == "bare" else None
        yield Deviation(f"page-{name}", changes, client, request=request, answer=page(shape))
    for name, changes, client, settings in SETTINGS:
        yield Deviation(name, changes, client, settings=settings)
    for name, shape in SHAPES.items():
        changes = f"error bodies have the shape {name}"
        yield Deviation(f"errors-{name}", changes, FOLLOW, settings={"errors": shape})
