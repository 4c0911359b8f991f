"""The pytest plugin: a simulated service for each test, with its requests, faults and clock.

Ask for the fixture `paylab_world`; nothing else has to be set up. Its address and keys are in the
environment too, as PAYLAB_BASE_URL, PAYLAB_API_KEY and PAYLAB_SECRET_KEY; other PAYLAB_ variables
of your shell are unset::

    def test_a_lost_answer_is_one_payment(paylab_world):
        payroll = Payroll(paylab_world.base_url, paylab_world.api_key, paylab_world.secret_key)
        account = paylab_world.account()
        with paylab_world.faults.on("transfers.create", cut_after=0, times=1):
            payroll.pay(account.id, "10.00")
        first, second = paylab_world.requests.assert_sent("transfers.create", source_amount="10.00")
        assert second.verdicts["idempotency"] == "replayed"

A world is empty, belongs to one test, and ends with it. The report of a failed test shows the last
requests with their verdicts, and the last deliveries. Options are those of a marker::

    @pytest.mark.paylab(seed=7, strict=True, frozen=False, start="2026-11-22T12:00Z", service=...,
                        production_like=True, expects="409")

The clock is frozen: it stands at 2026-01-15 12:00 UTC, or at `start`, and moves only when the test
advances it. A payment is therefore pending for as long as the test wants, and each run has the
same ids and times. Signed dates are checked by the machine's clock, so your service signs as usual.
If it compares times of the answers with its own clock, such as `expires_at` of a quote, freeze the
world at the machine's time, with start="now". If it polls until a payment has ended, let the clock
run, with frozen=False, or advance it while the service waits.

`strict` refuses what a real service might: unknown fields and parameters, an Idempotency-Key where
none is taken, addresses and dates that cannot be right. A `production_like` world answers 403 to
sandbox operations, and no special value causes an outcome. `service` is a service.toml or its
values. `expects` says which refusal the test expects: readiness does not count it as a mistake.

Objects, which leave no trace in the requests:
    person("PH", verified=True), account(), account(person), seed(individuals=2, transfers=50),
    load("world.json") for a file of `lab.simulator.save`, pay_in("0.00"): transfers then await
    funds until more is paid in
    person("MX", outcomes=["verification_image_blurry", "passes"]): one of each verification
    person(events=False), account(events=False): the events that they cause are not delivered
Time:
    clock.now, clock.advance("23h 59m"): what is due happens and is delivered; clock.run()
        lets it run from then on
Requests, oldest first, also those that were refused:
    requests[-1], of("POST /v1/transfers"), of("transfers.create"), refused, by_key(key), only(),
    assert_sent(operation, times=1, source_amount="10.00"), text()
    Each has number, at, method, path, query, headers, key, body, operation, status, answer,
    answer_headers and verdicts. Of these, "idempotency" is "new", "replayed", "conflict", "no key",
    "none", or "refused: " and why; "fault" is the fault or None; "signature", "route", "rules" and
    "strictness" have a "result" ("passed", "refused" or "skipped") and, if refused, a "message".
    "signature" then also has the "mistake" and the "line" of the canonical request, if known.
    Each also has sequence, real_at, duration, test, expects, hung_up, sent ("whole", "part" or
    "nothing") and sent_bytes, body_bytes and body_sha256 of the body as it came, answer_bytes and
    answer_sha256, and nonce_first_used: the number of the request that used its nonce before.
    journal() has requests, deliveries, events and controls in one sequence; har("seen.har")
    writes it, har("seen.har", raw=True) with the bytes of all bodies.
Readiness: readiness() says of each item whether your service was seen to do it right, with the
    calls that show it; `pytest --paylab-ready` judges all worlds of a run, and `paylab ready
    --pytest paylab-ready.json --html FILE` makes a page of it. lab.simulator.rehearse() brings what
    is missing about.
Faults, in a `with` block or until the world ends; `faults.kinds()` lists all:
    faults.on("transfers.list", delay=3), on("individuals.create", status=503, times=2)
    faults.on("POST /v1/transfers", "drop_after", every=3): each third answer is lost
    faults.on("transfer.completed", "event_duplicate"): a webhook comes twice
    faults.drop_after(path="/v1/transfers"): for the next call, without a block
Webhooks, to the URL that your service subscribed:
    deliveries.wait("transfer.completed"): the next attempt, deliveries.of("transfer.completed")
    deliveries.redeliver(), redeliver(deliveries[-1]), deliveries.pause(), deliveries.resume()
    A delivery has number, id, event_id, event_type, resource_id, url, attempt, cause ("first",
    "retry", "redelivery" or "fault"), status, error, at, headers and body as keys. On a frozen
    clock, advance it first.
Outcomes: move an object, or send a value that causes the outcome.
    lab.simulator.move(person.id, "pending"), lab.simulator.move(person.id, "rejected")
    lab.simulator.scenarios.transfer_expired is a client_reference_id, after which ":" and your own
    reference may follow; `lab.simulator.scenarios` lists all, with the field of each
    pay_in("0.00"): from now on transfers await funds, until pay_in("100.00") funds the oldest
Other programs:
    env are the three variables, control_token is the bearer token for /_simulator. The notebook
    80_reference has a curl line for each control.
Other languages: `paylab simulator -- npm test` runs your tests on a new simulator, and ends it.
    The three variables are in their environment, and the token in PAYLAB_CONTROL_TOKEN. For a world
    per test, POST /_simulator/worlds with this token: the answer has the base_url, api_key,
    secret_key and control_token of the world, and DELETE /_simulator/worlds/API_KEY ends it.
    The header X-Paylab-Test, or POST /_simulator/test, names the test of all that follows.

`lab` is a `paylab.connect()` to the world. Its requests are in the journal like all others.
"""
