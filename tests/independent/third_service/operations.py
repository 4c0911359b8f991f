"""The operations: each takes the service and a call, and returns a status and a body."""

from third_service.checks import (
    check_subscription,
)
from third_service.individuals import (
    create_account,
    create_individual,
    read_images,
    submit_token,
    update_account,
    upload_images,
)
from third_service.onramps import create_conversion_account, deposit
from third_service.payouts import create_quote, create_transfer, list_transfers
from third_service.steps import check


def create_subscription(service, call):
    """POST /v1/webhook_subscriptions."""
    check(check_subscription(call.body))
    row = {"url": call.body["url"], "event_types": call.body["event_types"], "is_active": True}
    return 201, service.add("webhook_subscription", row)


def delete_subscription(service, call):
    """DELETE /v1/webhook_subscriptions/{id}."""
    row = service.find("webhook_subscription", call.ids[0])
    del service.rows["webhook_subscription"][row["id"]]
    return 204, None


def list_subscriptions(service, _call):
    """GET /v1/webhook_subscriptions: a bare array."""
    return 200, list(service.rows["webhook_subscription"].values())


def reader(kind):
    """The operation that reads one object of the kind."""
    return lambda service, call: (200, service.find(kind, call.ids[0]))


def lister(kind):
    """The operation that lists the objects of the kind."""
    return lambda service, call: (200, service.page(kind, call.params))


OPERATIONS = {
    "individuals.create": create_individual,
    "individuals.list": lister("individual"),
    "individuals.get": reader("individual"),
    "individuals.submit_token": submit_token,
    "individuals.upload_images": upload_images,
    "individuals.images": read_images,
    "financial_accounts.create": create_account,
    "financial_accounts.update": update_account,
    "quotes.create": create_quote,
    "transfers.create": create_transfer,
    "transfers.list": list_transfers,
    "transfers.get": reader("transfer"),
    "conversion_accounts.create": create_conversion_account,
    "conversion_accounts.list": lister("conversion_account"),
    "conversion_accounts.get": reader("conversion_account"),
    "conversions.list": lister("conversion"),
    "sandbox.deposit": deposit,
    "webhook_subscriptions.create": create_subscription,
    "webhook_subscriptions.list": list_subscriptions,
    "webhook_subscriptions.get": reader("webhook_subscription"),
    "webhook_subscriptions.delete": delete_subscription,
}
