"""The open points of the area 'Individuals'."""

from __future__ import annotations

from .assumption import Assumption

AREA = "Individuals"

ROWS = (
    Assumption(
        "individual.create-status",
        question="Which status answers a new individual?",
        assumed="201",
        origin="public",
    ),
    Assumption(
        "individual.required",
        question="Which fields does every new individual need?",
        assumed="product_types, given_name, family_name, country and address, and what the "
        "specification names for a country or a product. address.country can be left "
        "out, and is then the country. financial_accounts can be added later. Public "
        "copies also require email for on_ramp and off_ramp: the form warns, the "
        "simulator does not refuse",
        origin="public, spec",
    ),
    Assumption(
        "individual.list",
        question="Where are individuals listed, and how?",
        assumed="`GET /v1/individuals`, with `limit` and `cursor`, in pages like those of "
        "transfers",
    ),
    Assumption(
        "individual.get",
        question="How is one individual read?",
        assumed="`GET /v1/individuals/{id}`: 200, or 404",
        origin="public",
    ),
    Assumption(
        "individual.initial-payouts",
        question="Which status has a new individual that only has global_payouts?",
        assumed="active",
        origin="public",
    ),
    Assumption(
        "individual.under-review",
        question="How does an individual get under_review, and out of it?",
        assumed="from pending to under_review, and from there to active or rejected",
        keyless="Any status can follow any other when paylab reads it.",
    ),
    Assumption(
        "kyc.terminal",
        question="After which codes is a verification not repeated?",
        assumed="verification_disallowed_country, verification_age_mismatch and "
        "verification_identity_unverified",
    ),
    Assumption(
        "kyc.initial-details",
        question="Which status_details has a new individual for on_ramp or off_ramp?",
        assumed="verification_front_image_needed and verification_selfie_needed, and "
        "verification_back_image_needed where the document has two sides (a curp and a "
        "passport have one). With verification by token: verification_token_needed",
    ),
    Assumption(
        "images.read",
        question="How are stored images listed?",
        assumed="`GET /v1/individuals/{id}/verification_images`: 200 with what an upload "
        "answers, or 404",
        origin="public",
    ),
    Assumption(
        "idv.provider",
        question="What is the identifier of the external identity provider?",
        assumed="the word `idv_provider`",
    ),
    Assumption(
        "idv.who",
        question="Who verifies with a token instead of images?",
        assumed="an individual whose country has no walk-through in the specification: US, SG, "
        "VN, AE. Everybody else verifies with images, and a token gets the 400 of the "
        "specification",
    ),
)
