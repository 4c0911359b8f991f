"""Individuals: what the spec leaves open, and what is assumed."""

from __future__ import annotations

from .row import Gap

AREA = "Individuals"
_ROWS = (
    (
        "individual.create-status",
        "success code",
        "201",
        "public",
    ),
    (
        "individual.required",
        "base list of required fields",
        "product_types, given_name, family_name, country, address; address.country "
        "optional on input and filled from country. financial_accounts optional (spec: "
        "may be added later). What the spec names per country and product on top. "
        "Public copies also require email for on_ramp and off_ramp: the form warns, "
        "the simulator does not reject",
        "public, spec",
    ),
    (
        "individual.list",
        "path, parameters and shape of the list",
        "`GET /v1/individuals`, `limit` and `cursor`, the page envelope of transfers",
        "chosen",
    ),
    (
        "individual.get",
        "read one",
        "`GET /v1/individuals/{id}` 200, 404",
        "public",
    ),
    (
        "individual.initial-payouts",
        "initial status with only global_payouts",
        "active",
        "public",
    ),
    (
        "individual.under-review",
        "moves of under_review",
        "pending → under_review → active or rejected",
        "chosen",
    ),
    (
        "kyc.terminal",
        "terminal codes",
        "verification_disallowed_country, verification_age_mismatch, "
        "verification_identity_unverified",
        "chosen",
    ),
    (
        "kyc.initial-details",
        "status_details of a new on_ramp / off_ramp individual",
        "verification_front_image_needed, verification_selfie_needed (and "
        "verification_back_image_needed where the document has two sides: not curp, "
        "not passport). An individual verified by token: verification_token_needed",
        "chosen",
    ),
    (
        "images.read",
        "read back image metadata",
        "`GET /v1/individuals/{id}/verification_images` 200 with the upload's response shape; 404",
        "public",
    ),
    (
        "idv.provider",
        "identifier of the external identity provider",
        "the literal `idv_provider`, changeable",
        "chosen",
    ),
    (
        "idv.who",
        "who verifies with a token instead of images",
        "an individual whose country has no image flow: US, SG, VN, AE (none of them "
        "has a walk-through in the spec). Everyone else verifies with images, and a "
        "token gets the 400 of the spec",
        "chosen",
    ),
)
INDIVIDUALS = tuple(Gap(*row, area=AREA) for row in _ROWS)
