"""Individuals: creation, reading, listing, verification tokens."""

from __future__ import annotations

import pytest

TOKEN = {
    "provider": "idv_provider",
    "token": "t",
    "applicant_id": "a-1",
    "partner_terms_accepted_at": "2026-01-15T11:00:00Z",
}
RAMP = ("phone", "document", "date_of_birth", "idv_consent_recorded_at")


def codes(individual):
    """The codes of an individual's status details."""
    return [each["code"].removeprefix("verification_") for each in individual["status_details"]]


def test_a_recipient_is_active_at_once(service):
    """A new recipient is active; absent fields are left out; the address has the country."""
    made = service.person()
    assert made["status"] == "active"
    assert made["address"] == {"city": "Puebla", "country": "MX"}
    assert made["financial_accounts"] == []
    assert made.keys() == {
        *("id", "given_name", "family_name", "address", "country", "status"),
        *("product_types", "financial_accounts", "created_at", "updated_at"),
    }


def test_everything_given_comes_back(service):
    """Every field of the spec is returned as it was sent."""
    address = {"country": "CO", "line_1": "a", "line_2": "", "city": "c", "state": "s"}
    given = {
        "email": "a@b.co",
        "phone": "+57",
        "date_of_birth": "1990-02-28",
        "idv_consent_recorded_at": "2026-01-15T11:00:00+00:00",
        "address": address | {"postal_code": "p"},
        "document": {"type": "passport", "number": "X1"},
    }
    made = service.person("CO", **given)
    assert {name: made[name] for name in given} == given


def test_a_null_is_like_nothing(service):
    """A null field is treated as absent, also inside an object."""
    made = service.person(email=None, document=None, address={"line_1": None})
    assert made["address"] == {"country": "MX"}
    assert not made.keys() & {"email", "document"}


def test_accounts_come_with_the_individual(service):
    """An individual can be created with financial accounts."""
    account = {"type": "bank_account", "details": {"clabe": "0" * 18}}
    made = service.person(financial_accounts=[account])
    assert [made["financial_accounts"][0][name] for name in account] == [*account.values()]


@pytest.mark.parametrize(
    ("country", "document", "asked"),
    [
        ("MX", "curp", ["front_image_needed", "selfie_needed"]),
        ("PH", "tin", ["front_image_needed", "back_image_needed", "selfie_needed"]),
        ("CO", "passport", ["front_image_needed", "selfie_needed"]),
        ("CO", "cc", ["front_image_needed", "back_image_needed", "selfie_needed"]),
        ("US", "passport", ["token_needed"]),
        ("SG", "national_id", ["token_needed"]),
        ("VN", "passport", ["token_needed"]),
        ("AE", "emirates_id", ["token_needed"]),
    ],
)
@pytest.mark.parametrize("product", ["on_ramp", "off_ramp"])
def test_what_verification_asks_for(service, country, document, asked, product):
    """A new ramp individual is in action_required, with the items that its document needs."""
    made = service.person(country, product, document={"type": document})
    assert made["status"] == "action_required"
    assert codes(made) == asked


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        ({"country": "XX"}, {"country"}),
        ({"country": "mx"}, {"country"}),
        ({"address": {"country": "BR"}}, {"address.country"}),
        ({"product_types": []}, {"product_types"}),
        ({"product_types": ["payouts"]}, {"product_types.0"}),
        ({"product_types": ["on_ramp"]}, set(RAMP)),
        ({"given_name": " ", "family_name": None}, {"given_name", "family_name"}),
        ({"date_of_birth": "1990-02-30"}, {"date_of_birth"}),
        ({"document": {"type": "cpf"}}, {"document.type"}),
        ({"document": {"type": "curp", "number": "x"}}, {"document.number"}),
        (
            {"financial_accounts": [{"type": "bank_account", "details": {"clabe": "1"}}]},
            {"financial_accounts.0.details.clabe"},
        ),
        ({"financial_accounts": [{"type": "pix"}]}, {"financial_accounts.0.type"}),
    ],
)
def test_refused_and_not_made(service, person_body, change, fields):
    """A 400 names the invalid fields, and no individual is created."""
    answer = service.post("/v1/individuals", person_body | change)
    assert answer.status == 400
    assert fields <= answer.fields.keys()
    assert service.get("/v1/individuals").json["data"] == []


def test_one_answer_lists_all_problems(service):
    """One answer lists all problems."""
    answer = service.post("/v1/individuals", {"product_types": ["on_ramp"], "country": "PH"})
    assert answer.status == 400
    assert answer.fields.keys() == {"given_name", "family_name", "address", *RAMP}
    assert answer["error"].count(";") == len(answer.fields) - 1


@pytest.mark.parametrize("target", ["/v1/individuals/x", "/v1/individuals/{id}"])
def test_an_unknown_id_returns_404(service, target):
    """An unknown id returns 404."""
    answer = service.get(target)
    assert (answer.status, answer.json) == (404, {"error": "individual not found"})


def test_list_and_get_agree(service):
    """The list is newest first and shows the same individual as a GET."""
    made = [service.person()["id"] for _ in range(3)]
    listed = service.get("/v1/individuals").json
    assert [row["id"] for row in listed["data"]] == made[::-1]
    assert listed["data"][0] == service.get(f"/v1/individuals/{made[-1]}").json
    assert (listed["has_next_page"], listed["cursor"]) == (False, None)


def test_token_starts_the_check(service):
    """A token returns 202 with a pending individual, which is active two seconds later."""
    path = f"/v1/individuals/{service.person('US', 'on_ramp')['id']}"
    answer = service.post(f"{path}/verification_token", TOKEN)
    assert (answer.status, answer["status"]) == (202, "pending")
    assert "status_details" not in answer.json
    service.advance(2)
    assert service.get(path)["status"] == "active"


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, 202),
        ({"token": "t" * 4096}, 202),
        ({"token": "t" * 4097}, 400),
        ({"token": " "}, 400),
        ({"token": None}, 400),
        ({"provider": "other"}, 400),
        ({"provider": None}, 400),
        ({"applicant_id": None}, 400),
        ({"partner_terms_accepted_at": "2026-01-15T11:00:00+08:00"}, 202),
        ({"partner_terms_accepted_at": "yesterday"}, 400),
        ({"partner_terms_accepted_at": None}, 400),
    ],
)
def test_an_invalid_token_request_returns_400(service, change, status):
    """An invalid token request returns 400; a token has at most 4096 characters."""
    path = f"/v1/individuals/{service.person('US', 'on_ramp')['id']}/verification_token"
    assert service.post(path, TOKEN | change).status == status


def test_a_token_for_somebody_else_is_refused(service):
    """An unknown individual returns 404, one that verifies by images 400, an active one 422."""
    nobody, pictured = "x", service.person("MX", "on_ramp")["id"]
    done = service.person("US")["id"]
    answers = [
        service.post(f"/v1/individuals/{each}/verification_token", TOKEN).status
        for each in (nobody, pictured, done)
    ]
    assert answers == [404, 400, 422]


def test_404_comes_before_400(service):
    """An unknown id returns 404 before the body is checked."""
    assert service.post("/v1/individuals/x/verification_token", {}).status == 404
    assert service.post("/v1/individuals/x/verification_images", b"{").status == 404


@pytest.mark.parametrize("part", ["document", "address", "financial_accounts", "email", "phone"])
def test_a_null_that_was_sent_never_comes_back(service, person_body, part):
    """Null fields are left out at every level, in every answer."""
    sent = {
        "document": {"type": "curp", "number": None},
        "address": {"country": "MX", "city": None, "line_2": None},
        "financial_accounts": [
            {"type": "bank_account", "details": {"clabe": "002010077777777771", "memo": None}},
        ],
    }.get(part)
    made = service.post("/v1/individuals", person_body | {part: sent})
    got = service.get(f"/v1/individuals/{made['id']}")
    listed = service.get("/v1/individuals")["data"]
    assert "None" not in repr([made.json, got.json, listed])
