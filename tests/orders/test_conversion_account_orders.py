"""Conversion accounts: the list is read first, since a 202 is not stored."""

import threading
from datetime import timedelta

import pytest
from order_reports import report
from service_answer import Answer

from paylab.client.new_orders import NewOrders

HOUR = timedelta(hours=1)
OWN_KEY = "0b54eae0-6b8a-4f0c-9d3b-3a3f8a1f2c11"


def create(lab, **changes):
    """Create the example account, or one with changes."""
    fields = {"individual_id": "ind_1", "payout_account": "fa_wallet", "source_currency": "mxn"}
    return report(lab.conversion_accounts.create, **{**fields, **changes})


@pytest.mark.parametrize("provisioning", [201, 202])
@pytest.mark.parametrize("hours", [0, 25])
def test_an_account_is_created_once(service, connect, provisioning, hours):
    """The same order gives the same account, also after a 202 and after a long time."""
    service.provisioning = provisioning
    create(connect()).check("paid ca_1")
    service.clock.advance(hours=hours)
    create(connect()).check("same ca_1")
    create(connect()).check("same ca_1")
    assert len(service.conversion_accounts) == 1


SPELLINGS = [
    {"source_currency": "MXN"},
    {"payout_account": {"id": "fa_wallet"}},
    {"destination_currency": "USDC"},
    {"destination_currency": "usdc"},
]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_another_spelling_is_the_same_account(service, connect, spelling):
    """Spellings of currencies and wallets do not make another account."""
    service.provisioning = 202
    create(connect()).check("paid ca_1")
    create(connect(), **spelling).check("same ca_1")
    assert len(service.conversion_accounts) == 1


OTHERS = [
    {"individual_id": "ind_2"},
    {"payout_account": "fa_wallet_2"},
    {"source_currency": "php"},
    {"client_reference_id": "second"},
    {"new": "second"},
    {"new": True},
]


@pytest.mark.parametrize("change", OTHERS)
def test_another_order_is_another_account(service, connect, change):
    """Another person, wallet, currency or reference, or `new=`, makes another account."""
    create(connect()).check("paid ca_1")
    create(connect(), **change).check("paid ca_2")
    assert len(service.conversion_accounts) == 2


LISTED = [
    (["active"], "same ca_1", 1),
    (["pending"], "same ca_1", 1),
    (["active", "pending"], "same ca_1", 2),
    (["pending", "active"], "same ca_2", 2),
    (["active", "active"], "same ca_2", 2),
    (["pending", "pending"], "same ca_2", 2),
    (["active", "disabled"], "same ca_1", 2),
    (["pending", "disabled"], "same ca_1", 2),
    (["disabled"], "paid ca_2", 2),
    (["disabled", "disabled"], "paid ca_3", 3),
]


@pytest.mark.parametrize(("statuses", "reported", "accounts"), LISTED)
def test_the_newest_active_else_pending_account_counts(service, cell, statuses, reported, accounts):
    """Of the accounts in the list the newest active one is returned, else a pending one."""
    for number, status in enumerate(statuses):
        service.add_conversion_account(status, (50 - number) * HOUR)
    create(cell).check(reported)
    assert len(service.conversion_accounts) == accounts


def test_a_disabled_account_does_not_count_when_it_is_replayed(service, cell):
    """An account that was made today and disabled is never reported as a success."""
    create(cell).check("paid ca_1")
    service.conversion_accounts[0]["status"] = "disabled"
    again = create(cell)
    assert again.error or again.id != "ca_1"
    if again.error:
        again.check("error ca_1 disabled new=")
    create(cell, new="second").check("paid ca_2" if again.error else "paid ca_3")


def test_a_replayed_account_that_is_read_as_another_is_an_error(service, cell):
    """An answer about another account is not returned as the account of the order."""
    create(cell, new="second").check("paid ca_1")
    service.listing.changed = {"id": "ca_9"}
    create(cell, new="second").check("error ca_9")


BROKEN = [
    {"hidden": {"payout_account"}},
    {"hidden": {"individual_id"}},
    {"failing_page": 1},
    {"loops": True},
    {"endless": True},
    {"html": True},
]


@pytest.mark.parametrize("switches", BROKEN)
def test_a_list_that_cannot_tell(service, connect, switches):
    """If the list cannot tell, nothing is created; `new=` does not ask the list."""
    service.add_conversion_account("active", HOUR)
    for name, value in switches.items():
        setattr(service.listing, name, value)
    cell = connect(max_retries=0)
    create(cell).check("error new=")
    assert len(service.conversion_accounts) == 1
    create(cell, new="second").check("paid ca_2")
    assert len(service.conversion_accounts) == 2


@pytest.mark.parametrize("status", [404, 501])
def test_a_service_without_a_list_creates_accounts_and_repeats_no_lost_one(
    service, connect, status
):
    """The spec shows no such list: an account is made with a notice, and posted once."""
    service.listing.failing_page = 1
    service.listing.failure = status
    first = create(connect())
    first.check("paid ca_1")
    assert "no list of conversion accounts" in first.visible
    service.provisioning = 202
    service.spoiled.append("closed before the first byte")
    create(connect(max_retries=2), source_currency="php").check("error may have been made")
    assert len(service.conversion_accounts) == 2


@pytest.mark.parametrize("switches", [{"bare": True}, {"page_size": 1}, {"order": "oldest first"}])
def test_lists_of_other_forms(service, connect, switches):
    """An array, small pages and another order are read."""
    for number in range(3):
        service.add_conversion_account("active", number * HOUR, individual_id="ind_9")
    service.add_conversion_account("active", 400 * HOUR)
    for name, value in switches.items():
        setattr(service.listing, name, value)
    create(connect()).check("same ca_4")
    assert len(service.conversion_accounts) == 4


@pytest.mark.parametrize("kind", ["closed before the first byte", "HTML", "503", "no id", "204"])
@pytest.mark.parametrize("provisioning", [201, 202])
@pytest.mark.parametrize("retries", [0, 1])
def test_a_lost_account_is_found_in_the_list(service, connect, kind, provisioning, retries):
    """After a lost answer the list is read before anything is posted again."""
    service.provisioning = provisioning
    service.spoiled.append(kind)
    first = create(connect(max_retries=retries))
    assert first.error or first.id == "ca_1"
    create(connect()).check("same ca_1")
    assert len(service.conversion_accounts) == 1
    assert len(service.posts("/v1/conversion_accounts")) == 1 or provisioning == 201


def test_an_answer_about_another_account_is_an_error_that_names_it(service, cell):
    """An account with another value than the order has is never a success."""
    service.spoiled.append("the currency of another payment")
    create(cell, destination_currency="USDC").check("error another account tr_999")


def test_two_threads_create_one_account(service, connect):
    """Two threads that ask at once get one account, also when provisioning is in flight."""
    service.provisioning = 202
    service.delay = 0.2
    labs = [connect(), connect()]
    ids = []
    threads = [
        threading.Thread(target=lambda lab=lab: ids.append(new_account(lab))) for lab in labs
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ids == ["ca_1", "ca_1"]
    assert len(service.conversion_accounts) == 1


def new_account(lab):
    """Create the example account and return its id."""
    return lab.conversion_accounts.create("ind_1", "fa_wallet", "mxn").id


RAW = [
    ("/v1/conversion_accounts", "same ca_1"),
    ("conversion_accounts.create", "same ca_1"),
]


@pytest.mark.parametrize(("second", "reported"), RAW)
def test_a_raw_post_of_an_account_is_found_by_create(service, connect, second, reported):
    """A raw POST of an account has the key of its body, and is found by `create`."""
    body = {
        "individual_id": "ind_1",
        "payout_account": {"id": "fa_wallet"},
        "source_currency": "mxn",
    }
    path = "/v1/conversion_accounts"
    report(connect().post, path=path, json=body).check("paid ca_1")
    again = report(connect().post, path=path, json=body) if second == path else create(connect())
    again.check(reported)
    assert len(service.conversion_accounts) == 1
    assert None not in service.sent_keys(path)


@pytest.mark.parametrize("kind", ["closed before the first byte", "HTML", "503", "no id", "204"])
@pytest.mark.parametrize("provisioning", [201, 202])
def test_a_lost_new_account_is_never_an_older_one(service, connect, kind, provisioning):
    """After a lost answer to `new=` no account is taken that the list already had."""
    frozen = service.clock()
    service.clock = lambda: frozen
    create(connect()).check("paid ca_1")
    service.provisioning = provisioning
    service.spoiled.append(kind)
    outcome = create(connect(max_retries=2), new="c")
    assert outcome.error or outcome.id == "ca_2"
    assert len(service.conversion_accounts) == 2


def test_a_refused_new_account_is_not_posted_again(service, connect):
    """After a 503 the list cannot tell which account `new=` has made, so the error says to look."""
    create(connect()).check("paid ca_1")
    service.refusals.append(Answer(503, {"error": "busy"}, {"Retry-After": "0"}))
    create(connect(max_retries=2), new="c").check("error check with GET")
    assert len(service.conversion_accounts) == 1


@pytest.mark.parametrize(
    "order", [{"new": "c"}, {"new": True}, {"idempotency_key": OWN_KEY}], ids=str
)
def test_a_refused_account_is_posted_again_where_the_list_has_no_equal_one(service, connect, order):
    """A list without an equal account shows that the 503 made none."""
    service.refusals.append(Answer(503, {"error": "busy"}, {"Retry-After": "0"}))
    create(connect(max_retries=2), **order).check("paid ca_1")
    assert len({*service.sent_keys("/v1/conversion_accounts")}) == 1


def test_a_client_without_a_lab_takes_the_account_that_it_ordered(service, cell):
    """For an answer without a body the newest account of the order is taken, not of the person."""
    service.spoiled.append("204")
    newest = {"payout_account": {"id": "fa_wallet_2", "type": "crypto_wallet"}}
    service.add_conversion_account("active", -HOUR, **newest)
    client = cell.client.with_service(cell.client.service, orders=NewOrders)
    account = client.conversion_accounts.create("ind_1", "fa_wallet", "MXN")
    assert (account.id, account.payout_account.id) == ("ca_2", "fa_wallet")
