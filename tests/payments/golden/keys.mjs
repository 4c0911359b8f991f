// Idempotency-Keys of orders, computed without paylab: node keys.mjs > keys.json
import { createHash } from "node:crypto";

const orders = [
  ["reference", "invoice-7", ""],
  ["reference", "invoice-7", "tr_1"],
  ["reference", "Jos\u00e9 \u2603", ""],
  ["reference", "scenario:failed:2", "second"],
  ["values", { destination_currency: "MXN", financial_account: "fa_1", payout_method: "SPEI", source_amount: "50", source_currency: "USD" }, ""],
  ["values", { destination_currency: "MXN", financial_account: "fa_1", payout_method: "SPEI", source_amount: "50.01", source_currency: "USD" }, ""],
  ["values", { destination_currency: "MXN", financial_account: "fa_1", payout_method: "SPEI", source_amount: "50", source_currency: "USD" }, "tr_1"],
  ["values", { destination_currency: "PHP", financial_account: "fa_2", memo: { a: [1, true, "x \"y\""], b: "\u00e9" }, net_source_amount: "0.1", payout_method: "INSTAPAY", source_currency: "USDC", source_network: "BASE" }, ""],
  ["values", { quote_id: "qt_1" }, ""],
  ["values", { destination_currency: "USDC", individual_id: "ind_1", payout_account: "fa_3", source_currency: "MXN" }, "", "conversion_accounts.create"],
  ["reference", "account-1", "", "conversion_accounts.create"],
];

function key(kind, order, name, operation) {
  const text = JSON.stringify(["paylab order", operation, kind, order, name]);
  const digits = createHash("sha256").update(text, "utf8").digest("hex").slice(0, 32).split("");
  digits[12] = "4";
  digits[16] = ((parseInt(digits[16], 16) & 3) | 8).toString(16);
  return digits.join("").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

const rows = orders.map(([kind, order, name, operation = "transfers.create"]) => ({
  operation,
  fields: kind === "reference" ? { client_reference_id: order } : order,
  new: name,
  key: key(kind, order, name, operation),
}));
process.stdout.write(JSON.stringify(rows, null, 1) + "\n");
