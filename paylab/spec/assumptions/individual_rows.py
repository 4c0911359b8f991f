"""The open points of the area 'Individuals'."""

from __future__ import annotations

from .assumption import Assumption

AREA = "Individuals"

ROWS = (
    Assumption("individual.create-status", question="success code", assumed="201", origin="public"),
    Assumption(
        "individual.required",
        question="base list of required fields",
        assumed="product_types, given_name, family_name, country, address; address.country "
        "optional on input and filled from country. financial_accounts optional "
        "(spec: may be added later). What the spec names per country and product on"
        " top. Public copies also require email for on_ramp and off_ramp: the form "
        "warns, the simulator does not reject",
        origin="public, spec",
    ),
    Assumption(
        "individual.list",
        question="path, parameters and shape of the list",
        assumed="`GET /v1/individuals`, `limit` and `cursor`, the page envelope of transfers",
    ),
    Assumption(
        "individual.get",
        question="read one",
        assumed="`GET /v1/individuals/{id}` 200, 404",
        origin="public",
    ),
    Assumption(
        "individual.initial-payouts",
        question="initial status with only global_payouts",
        assumed="active",
        origin="public",
    ),
    Assumption(
        "individual.under-review",
        question="moves of under_review",
        assumed="pending → under_review → active or rejected",
        keyless="Any status can follow any other when paylab reads it.",
    ),
    Assumption(
        "kyc.terminal",
        question="terminal codes",
        assumed="verification_disallowed_country, verification_age_mismatch, "
        "verification_identity_unverified",
    ),
    Assumption(
        "kyc.initial-details",
        question="status_details of a new on_ramp / off_ramp individual",
        assumed="verification_front_image_needed, verification_selfie_needed (and "
        "verification_back_image_needed where the document has two sides: not curp,"
        " not passport). An individual verified by token: verification_token_needed",
    ),
    Assumption(
        "images.read",
        question="read back image metadata",
        assumed="`GET /v1/individuals/{id}/verification_images` 200 with the upload's "
        "response shape; 404",
        origin="public",
    ),
    Assumption(
        "idv.provider",
        question="identifier of the external identity provider",
        assumed="the literal `idv_provider`, changeable",
    ),
    Assumption(
        "idv.who",
        question="who verifies with a token instead of images",
        assumed="an individual whose country has no image flow: US, SG, VN, AE (none of "
        "them has a walk-through in the spec). Everyone else verifies with images, "
        "and a token gets the 400 of the spec",
    ),
)
