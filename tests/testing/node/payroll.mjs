// An integrator's service in JavaScript, written from the spec alone: it signs, pays, and keeps books.

import { createHash, createHmac, randomInt, randomUUID } from "node:crypto";
import { createServer } from "node:http";

const sha256 = (text) => createHash("sha256").update(text).digest("hex");

/** The headers of a signed request: chapter "Authentication" of the spec. */
export function sign(method, url, body, { apiKey, secretKey }, encode = (hmac) => hmac.digest("hex")) {
  const { host, pathname, search } = new URL(url);
  const headers = {
    host,
    "x-api-key": apiKey,
    "x-content-sha256": sha256(body),
    "x-date": new Date().toISOString(),
    "x-nonce": `${Date.now()}${String(randomInt(1e6)).padStart(6, "0")}`,
  };
  const names = Object.keys(headers).sort();
  const canonical = [
    method,
    pathname,
    ...(search ? [search.slice(1)] : []),
    ...names.map((name) => `${name}:${headers[name]}`),
    names.join(";"),
    headers["x-content-sha256"],
  ].join("\n");
  const payload = ["HMAC-SHA256", headers["x-date"], sha256(canonical)].join("\n");
  const text = encode(createHmac("sha256", secretKey).update(payload));
  const signature = Buffer.from(text).toString("base64");
  const signed = `Credential=${apiKey},SignedHeaders=${names.join(";")},Signature=${signature}`;
  return { ...headers, authorization: `HMAC-SHA256 ${signed}` };
}

export class Refused extends Error {
  constructor(status, body) {
    super(`${status} ${body}`);
    this.status = status;
  }
}

export class Payroll {
  constructor({ base_url, api_key, secret_key }, { timeout = 5000, encode } = {}) {
    this.base = base_url;
    this.keys = { apiKey: api_key, secretKey: secret_key };
    this.timeout = timeout;
    this.encode = encode;
    this.books = new Map();
    this.seen = new Set();
  }

  async call(method, path, body, more = {}) {
    const url = this.base + path;
    const text = body === undefined ? "" : JSON.stringify(body);
    const answer = await fetch(url, {
      method,
      headers: {
        ...sign(method, url, text, this.keys, this.encode),
        ...(text && { "content-type": "application/json" }),
        ...more,
      },
      body: text || undefined,
      signal: AbortSignal.timeout(this.timeout),
    });
    if (!answer.ok) throw new Refused(answer.status, await answer.text());
    return answer.json();
  }

  /** A payout; a lost or late answer and a 5xx are tried again under the same Idempotency-Key. */
  async pay(account, amount, reference, tries = 3) {
    const key = { "idempotency-key": randomUUID() };
    const body = {
      client_reference_id: reference,
      source_amount: amount,
      source_currency: "USD",
      destination_currency: "MXN",
      payout_method: "spei",
      financial_account: { id: account },
    };
    for (let left = tries - 1; ; left--) {
      try {
        return await this.call("POST", "/v1/transfers", body, key);
      } catch (error) {
        if (!left || error.status < 500) throw error;
      }
    }
  }

  async transfers() {
    return (await this.call("GET", "/v1/transfers?limit=100")).data;
  }

  /** Book an event once: type, id, status and time of the snapshot recognise a duplicate. */
  book({ event_type: type, event_payload: { id, status, updated_at } }) {
    const event = [type, id, status, updated_at].join(" ");
    if (this.seen.has(event)) return;
    this.seen.add(event);
    this.books.set(id, [...(this.books.get(id) ?? []), status]);
  }

  /** Subscribe a webhook receiver; the first answers are those given, then 200. */
  async listen(types, answers = []) {
    const receiver = createServer(async (request, response) => {
      const parts = await request.toArray();
      const status = answers.shift() ?? 200;
      if (status === 200) this.book(JSON.parse(Buffer.concat(parts)));
      response.writeHead(status).end();
    });
    await new Promise((ready) => receiver.listen(0, "127.0.0.1", ready));
    const url = `http://127.0.0.1:${receiver.address().port}/events`;
    await this.call("POST", "/v1/webhook_subscriptions", { url, event_types: types });
    return receiver;
  }
}
