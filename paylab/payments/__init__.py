"""Payments: the identity and key of an order, what a repetition returns, and batches.

Read from the bottom up: `identity` makes the values and the key of an order; `comparison` compares
them with what an object of the service shows; `payment_errors` has the errors of payments that are
no success; `recognition` decides which payment is that of an order; `search` reads the list;
`keyed_order` is an order with its key; `listed_payments` asks the list before an order is sent and
after its errors; `payment_orders` and `account_orders` send it; `orders` is what a lab calls. A
batch is `payout_rows`, checked in `plan`, sent in `batch`; each row has an `outcome`, and `results`
shows them.
"""
