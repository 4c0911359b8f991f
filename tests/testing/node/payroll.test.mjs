// The tests of that service, each in a world of its own: `paylab simulator -- node --test`.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Payroll, Refused } from "./payroll.mjs";

/** A request to the control API of the world with this token; the first one creates worlds. */
const { PAYLAB_BASE_URL: server, PAYLAB_CONTROL_TOKEN: first } = process.env;
function control(token, method, path, body) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return fetch(`${server}/_simulator${path}`, { method, headers, body: JSON.stringify(body) });
}

/** A new world, its controls, and the account of somebody to pay to. */
async function newWorld(options = {}) {
  const world = await (await control(first, "POST", "/worlds", options)).json();
  const ask = async (...request) => {
    const answer = await control(world.control_token, ...request);
    assert.ok(answer.ok, await answer.clone().text());
    return answer.json();
  };
  await ask("POST", "/seed", { individuals: 1 });
  const people = await new Payroll(world).call("GET", "/v1/individuals");
  const received = async (operation) =>
    (await ask("GET", "/requests")).filter((each) => each.operation === operation);
  /** Wait until an event was delivered so many times; the latest attempt. */
  const delivered = async (type, times = 1) => {
    let attempt = { number: 0 };
    for (let left = times; left; left--) {
      const next = `/deliveries?event_type=${type}&after=${attempt.number}&wait=10`;
      [attempt] = await ask("GET", next);
    }
    return attempt;
  };
  return { ...world, ask, received, delivered, account: people.data[0].financial_accounts[0].id };
}

test("a payout is sent as it was ordered", async () => {
  const world = await newWorld();
  const made = await new Payroll(world).pay(world.account, "10.00", "january");
  const [sent, ...rest] = await world.received("transfers.create");
  assert.deepEqual([sent.status, sent.answer.id, rest.length], [201, made.id, 0]);
  assert.deepEqual([sent.body.source_amount, sent.verdicts.idempotency], ["10.00", "new"]);
});

test("an answer that is lost does not pay twice", async () => {
  const world = await newWorld();
  await world.ask("POST", "/faults", { kind: "drop_after", path: "/v1/transfers" });
  const made = await new Payroll(world).pay(world.account, "10.00", "january");
  const sent = await world.received("transfers.create");
  assert.deepEqual(sent.map((each) => each.verdicts.idempotency), ["new", "replayed"]);
  assert.deepEqual((await new Payroll(world).transfers()).map((each) => each.id), [made.id]);
});

test("an answer that comes too late does not pay twice", async () => {
  const world = await newWorld();
  const slow = { kind: "custom", operation: "transfers.create", delay: 30, times: 1 };
  await world.ask("POST", "/faults", slow);
  await new Payroll(world, { timeout: 500 }).pay(world.account, "10.00", "january");
  assert.equal((await new Payroll(world).transfers()).length, 1);
});

test("a 503 is tried again, a 418 is not", async () => {
  const world = await newWorld();
  const fault = { kind: "custom", operation: "transfers.create", times: 1 };
  await world.ask("POST", "/faults", { ...fault, status: 503 });
  await new Payroll(world).pay(world.account, "10.00", "january");
  await world.ask("POST", "/faults", { ...fault, status: 418, body: { error: "tea" } });
  await assert.rejects(new Payroll(world).pay(world.account, "10.00", "february"), /418.*tea/);
  assert.equal((await world.received("transfers.create")).length, 3);
});

test("a signer with a wrong secret is refused, and the journal says so", async () => {
  const world = await newWorld();
  const wrong = new Payroll({ ...world, secret_key: "another" });
  await assert.rejects(wrong.transfers(), (error) => error instanceof Refused && error.status === 401);
  const [seen] = await world.received("transfers.list");
  assert.equal(seen.verdicts.signature.result, "refused");
  assert.ok(!JSON.stringify(seen).includes(world.secret_key));
});

test("a signer that encodes the bytes of the HMAC learns its mistake", async () => {
  const world = await newWorld();
  const raw = new Payroll(world, { encode: (hmac) => hmac.digest() });
  await assert.rejects(raw.transfers(), /401/);
  const [seen] = await world.received("transfers.list");
  assert.equal(seen.verdicts.signature.mistake, "raw-digest");
});

test("a verification that is rejected is told with its code", async () => {
  const world = await newWorld();
  const payroll = new Payroll(world);
  const person = await payroll.call("POST", "/v1/individuals", {
    product_types: ["on_ramp"],
    given_name: "Ana",
    family_name: "Cruz",
    country: "MX",
    address: { country: "MX" },
    phone: "+525512345678",
    email: "ana@example.com",
    date_of_birth: "1990-02-28",
    document: { type: "curp" },
    idv_consent_recorded_at: new Date().toISOString(),
  });
  const reason = "verification_age_mismatch";
  await world.ask("POST", `/objects/${person.id}`, { to: "pending" });
  await world.ask("POST", `/objects/${person.id}`, { to: "rejected", reason });
  const { status, status_details } = await payroll.call("GET", `/v1/individuals/${person.id}`);
  assert.deepEqual([status, status_details[0].code], ["rejected", reason]);
});

test("a transfer that nobody funds expires, and is booked as expired", async (t) => {
  const world = await newWorld({ frozen: true });
  const payroll = new Payroll(world);
  const receiver = await payroll.listen(["transfer.created", "transfer.expired"]);
  t.after(() => receiver.close());
  const made = await payroll.pay(world.account, "10.00", "scenario:expired:january");
  await world.ask("POST", "/clock", { advance_seconds: 60 });
  await world.delivered("transfer.expired");
  assert.deepEqual(payroll.books.get(made.id), ["awaiting_funds", "expired"]);
});

test("a webhook that comes twice is booked once", async (t) => {
  const world = await newWorld({ frozen: true });
  const payroll = new Payroll(world);
  const receiver = await payroll.listen(["transfer.completed"]);
  t.after(() => receiver.close());
  await world.ask("POST", "/faults", { kind: "event_duplicate" });
  const made = await payroll.pay(world.account, "10.00", "january");
  await world.ask("POST", "/clock", { advance_seconds: 60 });
  await world.delivered("transfer.completed", 2);
  assert.deepEqual([...payroll.books], [[made.id, ["completed"]]]);
});

test("a webhook that was answered with 500 is delivered again", async (t) => {
  const world = await newWorld({ frozen: true });
  const payroll = new Payroll(world);
  const receiver = await payroll.listen(["transfer.completed"], [500]);
  t.after(() => receiver.close());
  const made = await payroll.pay(world.account, "10.00", "january");
  await world.ask("POST", "/clock", { advance_seconds: 60 });
  assert.equal((await world.delivered("transfer.completed")).status, 500);
  await world.ask("POST", "/clock", { advance_seconds: 60 });
  assert.equal((await world.delivered("transfer.completed", 2)).status, 200);
  assert.deepEqual([...payroll.books], [[made.id, ["completed"]]]);
});

test("a strict world refuses a field that it does not know", async () => {
  const world = await newWorld({ strict: true });
  const body = { client_refernce_id: "january" };
  await assert.rejects(new Payroll(world).call("POST", "/v1/transfers", body), /client_reference_id/);
});

test("a world sees nothing of another one", async () => {
  const [one, other] = await Promise.all([newWorld(), newWorld()]);
  await new Payroll(one).pay(one.account, "10.00", "january");
  assert.deepEqual(await new Payroll(other).transfers(), []);
});
