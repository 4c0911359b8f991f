"""Where individuals verify with a token, every path of a lab submits one in place of images."""

from __future__ import annotations

import pytest

import paylab
from paylab.cli.main import main
from paylab.corridors.on_ramps import COUNTRIES
from paylab.errors import RuleError
from paylab.probe.probe import probe_service
from paylab.spec.service.individuals import VerificationSettings
from paylab.spec.status import verifies_by_token

SERVICE = {"verification.token_countries": COUNTRIES, "verification.provider": "veridoc"}


def submitted(lab):
    """How many tokens and how many uploads of images a lab has sent."""
    posts = [call.path.rpartition("/")[2] for call in lab.calls if call.method == "POST"]
    return posts.count("verification_token"), posts.count("verification_images")


@pytest.mark.parametrize("country", COUNTRIES)
def test_the_stepper_submits_a_token(country):
    """The step of the images has the form of a token, which an example fills in."""
    lab = paylab.connect(service=SERVICE)
    assert lab.onramp(country, example=True, consent=True).submit().status == "completed"
    assert submitted(lab) == (1, 0)


@pytest.mark.parametrize("country", COUNTRIES)
def test_the_form_of_a_lesson_submits_a_token(country):
    """`lab.forms.images` is the form of a token; its code shows the call without the token."""
    lab = paylab.connect(service=SERVICE)
    person = lab.forms.onboarding(country, example=True, consent=True).submit()
    empty = lab.forms.images(person)
    with pytest.raises(RuleError, match="token: is required"):
        empty.submit()
    form = lab.forms.images(person, example=True)
    assert form.submit().id == person.id
    assert "lab.individuals.submit_token(" in form.code()
    assert "share-token" not in form.code() + form.saved_html()
    assert lab.individuals.wait(person).status == "active"
    assert submitted(lab) == (1, 0)


@pytest.mark.parametrize("country", COUNTRIES)
def test_the_walkthrough_submits_a_token(country, tmp_path, monkeypatch, capsys):
    """The command goes through the same on-ramp and says that the token is an example."""
    file = tmp_path / "service.toml"
    file.write_text(paylab.Service(SERVICE).to_toml())
    monkeypatch.setenv("PAYLAB_SERVICE", str(file))
    assert main(["walkthrough", country.lower()]) == 0
    output = capsys.readouterr().out
    assert "share-token (an example)" in output
    assert "Images" not in output


def test_the_probe_submits_a_token():
    """A walk takes the individuals of every on-ramp through verification by token."""
    lab = paylab.connect(service=SERVICE)
    report = probe_service(lab.client, write=True)
    assert [f"{country} on-ramp: complete" in report.reached for country in COUNTRIES] == [
        True for _ in COUNTRIES
    ]
    assert {call.path.rpartition("/")[2] for call in report.calls} >= {"verification_token"}
    assert all("verification_images" not in call.path for call in report.calls)


@pytest.mark.parametrize(
    ("country", "detail_codes", "expected"),
    [
        ("US", [], True),
        ("MX", [], False),
        ("MX", ["verification_token_needed"], True),
        ("US", ["verification_selfie_needed"], False),
        ("US", ["kyc_missing"], True),
        ("MX", ["kyc_missing", None], False),
    ],
)
def test_the_details_of_a_status_come_before_the_country(country, detail_codes, expected):
    """A detail that asks for a token or an image decides; otherwise the settings do."""
    assert verifies_by_token(country, detail_codes, VerificationSettings()) == expected
