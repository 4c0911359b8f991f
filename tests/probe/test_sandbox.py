"""Nothing is created in what may be production: every POST that reaches a service is counted."""

import json
from dataclasses import replace
from itertools import cycle, product

import httpx
import pytest

from paylab.client import Client
from paylab.client.settings import Settings
from paylab.errors import PaylabError
from paylab.lab.lab import Lab
from paylab.probe.paths import suggest_paths
from paylab.probe.probe import probe_service
from paylab.probe.sandbox import NO_ACCOUNT, PATH, propose_deposit
from paylab.simulator.simulator import Simulator
from paylab.simulator.transport import SimulatorTransport
from paylab.spec.service import Service
from paylab.spec.service.keys import setting_keys

PRODUCTION, SANDBOX = HOSTS = "https://api.example.com", "https://api.sandbox.example.com"
DEPOSITS = "/v1/sandbox/deposits"
NESTED = "/v1/conversion_accounts/{id}/deposits"
BODY = {"conversion_account_id": NO_ACCOUNT, "amount": "20.00", "currency": "mxn"}
PATHS = [
    path.replace("{id}", NO_ACCOUNT) for path in suggest_paths(setting_keys()[PATH], Service())
]
HTML = {"content-type": "text/html"}
FEW = 30
"""A budget that ends a walk soon after its first person."""


def page(text, status=200):
    """An HTML page."""
    return httpx.Response(status, text=f"<!doctype html><p>{text}</p>", headers=HTML)


def refused(status, words, **more):
    """A refusal with these words."""
    return httpx.Response(status, json={"error": words, **more})


def give(answer):
    """The same answer to another request; an error is raised."""
    if isinstance(answer, Exception):
        raise answer
    return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)


def about(status, field, words="is invalid"):
    """A refusal that is about a field."""
    return httpx.Response(status, json={"errors": [{"field": field, "message": words}]})


NO_PROOF = {
    "401": refused(401, "signature does not match"),
    "401 with a field": about(401, "amount"),
    "404 everywhere": refused(404, "Not found"),
    "404 without words": httpx.Response(404),
    "404 that repeats the path": refused(404, f"Cannot POST {NESTED.format(id=NO_ACCOUNT)}"),
    "404 of a route": refused(404, "no route for a conversion account deposit"),
    "404 of a table": refused(404, f"conversion_accounts {NO_ACCOUNT[:8]} deposits is unknown"),
    "404 of another account": refused(404, "account not found"),
    "405": refused(405, "method not allowed"),
    "405 with a field": about(405, "amount"),
    "500": refused(500, "conversion account not found"),
    "503": refused(503, "try again"),
    "429": refused(429, "too many requests"),
    "409": refused(409, "conversion account not found"),
    "200 HTML": page("Welcome"),
    "200 text": httpx.Response(200, text="Welcome"),
    "200 error": refused(200, "conversion account not found"),
    "200 not ok": httpx.Response(200, json={"ok": False}),
    "200 list": httpx.Response(200, json=[]),
    "308": httpx.Response(308, headers={"location": f"{SANDBOX}{DEPOSITS}"}),
    "302 to itself": httpx.Response(302, headers={"location": DEPOSITS}),
    "400": refused(400, "Bad request"),
    "400 unknown field": about(400, "debug", "is an unknown field"),
    "400 of a person": about(400, "given_name", "is required"),
    "400 of a transfer": about(422, "source_amount", "is required"),
    "400 of a key": refused(400, "Idempotency-Key is required"),
    "400 that repeats the path": refused(400, f"bad request: POST {NESTED.format(id=NO_ACCOUNT)}"),
    "400 that repeats the body": refused(400, f"cannot read {json.dumps(BODY)}"),
    "404 that is the body": httpx.Response(404, json=BODY),
    "404 with the body": refused(404, "Not found", request=BODY),
    "400 sandbox only": about(400, "conversion_account_id", "deposits exist in the sandbox only"),
    "400 only in a sandbox": about(400, "amount", "can be simulated only in the sandbox"),
    "422 in production": about(422, "amount", "is not available in production"),
    "422 in live mode": refused(422, "no conversion account has deposits in live mode"),
    "404 in production": refused(404, "Conversion account deposits are not available"),
    "404 of an operation": refused(404, f"no operation deposit for {NO_ACCOUNT}"),
    "200 without a body": httpx.Response(200),
    "200 of a deposit": httpx.Response(200, json={"id": "dep_1", "amount": "20.00"}),
    "201": httpx.Response(201, json={"data": {"id": 7, "status": "pending"}}),
    "204": httpx.Response(204),
    "404 of an application": page("<pre>Cannot POST /v1/sandbox/deposits</pre>", 404),
    **{
        f"422 {words}": about(422, field, words)
        for field, words in (
            *(("currency", "test mode required"), ("amount", "your key is not a test key")),
            *(("amount", "forbidden in this environment"), ("currency", "environment=prd")),
            ("amount", "Los dep\u00f3sitos simulados no est\u00e1n disponibles en producci\u00f3n"),
            *(("amount", "indispon\u00edvel em produ\u00e7\u00e3o"), ("amount", "sin permiso")),
            *(
                ("currency", "no se permite en este entorno"),
                ("currency", "modo de teste desativado"),
            ),
            *(("amount", "s\u00f3 no sandbox"), ("amount", "not_available_in_production")),
        )
    },
    "422 with a code": refused(422, {"code": "ProductionOnly", "field": "amount", "message": "no"}),
    "400 HTML": httpx.Response(400, text="<p>amount is required</p>", headers=HTML),
    "404 HTML": httpx.Response(404, text="<h1>conversion account</h1>", headers=HTML),
    "404 of a service": refused(404, "No such resource: conversion-account service"),
    "404 with a code": refused(
        404, {"code": "conversion_account_not_found", "message": "Not found"}
    ),
    "422": refused(422, "Unprocessable"),
    "501": refused(501, "not implemented"),
    "no answer": httpx.ReadTimeout("slow"),
}
PROOF = {
    "422 with a code": refused(
        422, {"code": "conversion_account_not_found", "message": "Not found"}
    ),
    "400 of a field": about(400, "amount", "is too small"),
    "400 in words": refused(400, "conversion_account_id is unknown"),
    "422 of a field": about(422, "currency", "must be php"),
    "422 of the object": refused(422, f"there is no {NO_ACCOUNT}"),
    "404 of the object": refused(404, "Conversion account not found"),
    "404 of its field": about(404, "conversion_account_id", "does not exist"),
    "404 of its id": refused(404, f"No such account: {NO_ACCOUNT}"),
    "404 in camel case": refused(404, "CONVERSION_ACCOUNT_NOT_FOUND"),
}
FORBIDDEN = {
    "403": refused(403, "deposits can be simulated in the sandbox only"),
    "403 of a key": refused(403, "this key may not do that"),
    "403 of a field": about(403, "amount"),
    "403 of the object": refused(403, f"Conversion account {NO_ACCOUNT} is not yours"),
    "403 HTML": httpx.Response(403, text="<h1>Forbidden</h1>", headers=HTML),
    "403 without words": httpx.Response(403),
}
WAYS = (("omit", 401), ("blank", 403))
"""How a request without a query is signed, and the status of a signature that is refused."""


def at(path, answer):
    """An answer at one path, and a 404 elsewhere."""
    return lambda posted_path, _: answer if posted_path == path else refused(404, "Not found")


class Double:
    """A service that gives one answer to every POST which is signed in its dialect.

    `answer` may be a function of the path and of the simulator's answer. `posts` are all that
    reached it, `created` those beside the sandbox deposits.
    """

    def __init__(self, answer, *, dialect="omit", unsigned=401):
        settings = {"signing.empty_query": dialect, "error_codes.signature": unsigned}
        self.simulator = Simulator(service=Service(settings))
        self.transport = SimulatorTransport(self.simulator.respond)
        self.answer, self.unsigned = answer, unsigned
        self.posts = []

    def __call__(self, request):
        """Answer as the simulator, but for its verified POSTs."""
        simulated = self.transport.handle_request(request)
        if request.method != "POST":
            return simulated
        path = request.url.path
        self.posts.append((path, json.loads(request.read())))
        if simulated.status_code == self.unsigned:
            return simulated
        answer = self.answer(path, simulated) if callable(self.answer) else self.answer
        return simulated if answer is simulated else give(answer)

    @property
    def created(self):
        """What was posted to other paths than those of a deposit into no account."""
        return [each for each in self.posts if not is_harmless(*each)]

    def parts(self, base_url):
        """What a client or a lab of this service is made of."""
        simulator = self.simulator
        return {
            "settings": Settings(base_url, simulator.api_key, simulator.secret_key),
            "transport": httpx.MockTransport(self),
            "clock": simulator.world.now,
            "sleep": lambda _: None,
        }

    def walk(self, base_url=PRODUCTION, **options):
        """The report of a walk."""
        with Client(**self.parts(base_url)) as client:
            return probe_service(client, write=True, budget=FEW, **options)


def is_harmless(path, body):
    """Whether a request names an account that does not exist, at a path of sandbox deposits."""
    named = path if NO_ACCOUNT in path else body.get("conversion_account_id")
    return path in PATHS and NO_ACCOUNT in named


def spread(answers, settings):
    """Each answer and each setting at least once: cases of an answer, and a setting in turn."""
    longest = max(len(answers), len(settings))
    rows = zip(cycle(answers.items()), cycle(settings), range(longest))
    return [pytest.param(answer, *setting, id=name) for (name, answer), setting, _ in rows]


def propose(answer, path):
    """Propose a deposit at the path of a service.toml; its error if the answer is no proof."""
    settings = Settings(PRODUCTION, "k", "s", service=Service({PATH: path}))
    transport = httpx.MockTransport(lambda _: give(answer))
    with Client(settings, transport=transport, max_retries=0) as client:
        propose_deposit(client, stated_path=path)


@pytest.mark.parametrize("path", [DEPOSITS, NESTED])
@pytest.mark.parametrize("answer", NO_PROOF.values(), ids=NO_PROOF)
def test_an_answer_that_may_be_of_a_production_is_no_proof(answer, path):
    """A field, an account and a sandbox may be named in it, but not by a sandbox alone."""
    with pytest.raises(PaylabError):
        propose(answer, path)


@pytest.mark.parametrize("answer", PROOF.values(), ids=PROOF)
def test_an_answer_about_the_account_or_a_field_is_proof(answer):
    """A service that looks at the deposit would carry it out."""
    propose(answer, DEPOSITS)


UNLIKE = (
    *("401", "404 everywhere", "405", "429", "500", "200 HTML", "201", "308", "400"),
    *("422 in production", "404 HTML", "no answer"),
)
"""Answers without proof, one of each kind."""
OF_A_KIND = {name: NO_PROOF[name] for name in UNLIKE}


@pytest.mark.parametrize(("answer", "dialect", "unsigned"), spread(OF_A_KIND, WAYS))
def test_nothing_is_created_without_proof(answer, dialect, unsigned):
    """One sentence that asks for --sandbox, only deposits into no account, no proven setting."""
    service = Double(answer, dialect=dialect, unsigned=unsigned)
    report = service.walk()
    assert service.posts
    assert service.created == []
    assert "--sandbox" in report.hopeless
    assert "\n" not in report.hopeless
    assert (report.complete, report.made, report.where("proven")) == (False, (), ())


def test_the_sentence_says_that_the_answer_was_a_web_page():
    """A heading of a page in place of the service's words would read like an error of it."""
    report = Double(page("Unprocessable")).walk()
    assert "got 200 with a web page, which proves nothing; if you know" in report.hopeless


@pytest.mark.parametrize("kind", ["400 of a field", "404 of the object"])
@pytest.mark.parametrize(("dialect", "unsigned"), WAYS)
def test_a_walk_goes_on_after_a_proof(kind, dialect, unsigned):
    """The first POST is a deposit into no account."""
    service = Double(PROOF[kind], dialect=dialect, unsigned=unsigned)
    report = service.walk()
    assert service.posts[0][0] == DEPOSITS
    assert service.created
    assert report.complete


@pytest.mark.parametrize(
    ("seconds", "base_url"), [*zip(["11", "31", "60", "61", "86400", "9" * 17], cycle(HOSTS))]
)
def test_waits_before_the_proof_are_bounded(seconds, base_url):
    """A 429 that never ends is one sentence after the usual retries of one request."""
    service = Double(httpx.Response(429, headers={"retry-after": seconds}))
    waits = []
    parts = {**service.parts(base_url), "sleep": waits.append}
    with Client(**parts) as client:
        report = probe_service(client, write=True, budget=FEW)
    assert sum(waits) <= 2 * 60
    assert service.created == []
    assert "429" in report.hopeless
    assert "\n" not in report.hopeless


@pytest.mark.parametrize(
    ("answer", "base_url", "sandbox", "dialect", "unsigned"),
    spread(
        FORBIDDEN, [(url, word, *way) for url in HOSTS for word in (False, True) for way in WAYS]
    ),
)
def test_a_403_overrules_host_and_word(answer, base_url, sandbox, dialect, unsigned):
    """One POST in one dialect, and nothing else."""
    service = Double(answer, dialect=dialect, unsigned=unsigned)
    report = service.walk(base_url, sandbox=sandbox)
    assert len(service.posts) == 1
    assert service.created == []
    assert "production" in report.hopeless


@pytest.mark.parametrize(
    ("answer", "base_url", "sandbox"), spread(OF_A_KIND, [(SANDBOX, False), (PRODUCTION, True)])
)
def test_a_host_or_the_word_of_the_user_is_proof(answer, base_url, sandbox):
    """Persons are created once the host or the user says that it is a sandbox."""
    service = Double(answer)
    report = service.walk(base_url, sandbox=sandbox)
    assert is_harmless(*service.posts[0])
    assert service.created
    assert report.complete


@pytest.mark.parametrize(
    ("kind", "path"),
    [*zip(cycle(["404 of the object", "400 of a field"]), PATHS[1::2])],
)
def test_only_the_path_of_a_sandbox_operation_proves(kind, path):
    """Other paths are tried with the same body.

    A production has deposits below an account, too, and says that there is no such account.
    """
    is_sandbox_path = "sandbox" in path or "simulat" in path
    service = Double(at(path, PROOF[kind]))
    report = service.walk()
    assert path in [posted_path for posted_path, _ in service.posts]
    assert bool(service.created) is report.complete is is_sandbox_path


@pytest.mark.parametrize(
    ("path", "base_url"), [*zip((PATHS[1], PATHS[-1], NESTED.format(id=NO_ACCOUNT)), cycle(HOSTS))]
)
def test_a_403_at_another_path_ends_the_walk(path, base_url):
    """It overrules the host, and nothing is created."""
    service = Double(at(path, FORBIDDEN["403"]))
    assert "production" in service.walk(base_url).hopeless
    assert service.posts[-1][0] == path
    assert service.created == []


@pytest.mark.parametrize("path", ["/v1/sandbox/deposit", "/v1/simulations/deposits"])
def test_a_page_that_repeats_the_path_leaves_others_to_try(path):
    """It is the 404 of an application, which may have deposits at another path."""

    def answer(posted_path, _):
        missing_page = page(f"<pre>Cannot POST {posted_path}</pre>", 404)
        return PROOF["400 of a field"] if posted_path == path else missing_page

    service = Double(answer)
    assert service.walk().complete
    assert service.created


def test_the_path_of_your_file_proves():
    """What a service.toml names is a sandbox operation, whatever its path says."""
    service = Double(at(NESTED.format(id=NO_ACCOUNT), PROOF["400 of a field"]))
    parts = service.parts(PRODUCTION)
    parts["settings"] = replace(parts["settings"], service=Service({PATH: NESTED}))
    with Client(**parts) as client:
        assert probe_service(client, write=True, budget=FEW).complete
    assert service.created


def test_a_403_to_a_later_deposit_ends_the_walk():
    """A production may look for the account before it refuses the deposit.

    The walk ends at the first 403, proves nothing, and names what it has created.
    """

    def look_for_account(path, simulated):
        if path != DEPOSITS:
            return simulated
        has_account = not is_harmless(*service.posts[-1])
        return FORBIDDEN["403"] if has_account else PROOF["404 of the object"]

    service = Double(look_for_account)
    parts = service.parts(PRODUCTION) | {"sleep": service.simulator.advance}
    with Client(**parts) as client:
        report = probe_service(client, write=True)
    assert "production" in report.hopeless
    assert [each.split()[0] for each in report.made] == ["individual", "financial", "conversion"]
    assert report.made[0] in report.summary
    assert "/v1/transfers" not in [path for path, _ in service.posts]


LATER_POSTS = ("/v1/individuals", "/v1/webhook_subscriptions", "/v1/transfers")


@pytest.mark.parametrize(
    ("refusal", "base_url", "path"), spread(FORBIDDEN, [*product(HOSTS, LATER_POSTS)])
)
def test_a_403_to_any_post_ends_the_walk(tmp_path, refusal, base_url, path):
    """No POST after the first 403, one sentence, no file."""

    def answer(posted_path, simulated):
        answer_by_path = {path: refusal, DEPOSITS: PROOF["422 of a field"]}
        return answer_by_path.get(posted_path, simulated)

    service, to = Double(answer), tmp_path / "service.toml"
    with Lab(**service.parts(base_url) | {"sleep": service.simulator.advance}) as lab:
        report = lab.probe(write=True, sandbox=True, to=to)
    assert f"POST {path} with 403" in report.hopeless
    assert "production" in report.hopeless
    assert "\n" not in report.hopeless
    assert [each for each, _ in service.posts].index(path) == len(service.posts) - 1
    if path == "/v1/individuals":
        assert len(service.posts) == 2
    assert (report.complete, to.exists()) == (False, False)


def test_a_lab_has_the_same_guard(tmp_path):
    """`lab.probe` creates nothing and writes no file without proof."""
    service, to = Double(NO_PROOF["404 everywhere"]), tmp_path / "service.toml"
    with Lab(**service.parts(PRODUCTION)) as lab:
        assert "--sandbox" in lab.probe(write=True, budget=FEW, to=to).hopeless
        assert (service.created, to.exists()) == ([], False)
        assert lab.probe(write=True, sandbox=True, budget=FEW, to=to).complete
    assert service.created
    assert to.exists()


def test_a_budget_that_ends_before_the_proof_creates_nothing():
    """The budget is one sentence as well."""
    for budget in range(1, 4):
        service = Double(NO_PROOF["404 everywhere"])
        with Client(**service.parts(PRODUCTION)) as client:
            report = probe_service(client, write=True, budget=budget)
        assert (service.created, report.complete) == ([], False)
        assert "budget" in report.hopeless
