"""What other SDKs call things, and the names to use here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from functools import cache

_USE_REQUEST = (
    "lab.request(), if your service has what the specification lacks @get,list,create,request"
)
_VERIFY = (
    "paylab.events.verify_delivery(body, headers, secret_key, lab.service) "
    "@inbox,canonical_request,table,delete,connect"
)
_ACCOUNTS = "lab.individuals.get(id).financial_accounts @update"
_AMOUNTS = "source_amount, destination_amount or net_source_amount"
_PAY_QUOTE = "lab.transfers.create(quote_id=quote) @derived_source_amount"
_MESSAGE = "text @after_lost | paylab.errors @WaitTimeoutError"
_BATCH = "transfers.create_many @transfers | lab.transfers.create_many @onboarding"
_HABIT_TABLE = f"""
# Operations of a resource.
retrieve fetch read show lookup get_payout: get | first
find: list().filter(field=value) @list | where | of | get | first
filter: where | of | list().filter(field=value) @list
assert_called assert_called_with assert_called_once assert_any_call: assert_sent
get_by_reference find_by_reference by_reference: find(client_reference_id=...) @create_many
all iterate paginate list_auto_paging get_all_transfers: list | to_list
search query find_by: filter | list().filter(field=value) @list
new add make post insert: create | deposit | request
send pay initiate: create | deposit | submit | transfers.create @transfers | request
create_payout send_payout: create | transfers.create @transfers
transfer_funds: create | deposit | request
retry repeat: create(..., new=id), which pays again @create_many | new | max_retries
modify edit patch put replace: update | {_USE_REQUEST}
remove destroy unsubscribe: delete | {_USE_REQUEST}
poll wait_until get_waiter: wait
wait_all wait_many: wait for each of them @wait
bulk_create create_batch batch_create batch: create_many | {_BATCH}
upload upload_documents: upload_images | export
df dataframe to_pandas: frame
to_csv to_parquet to_excel download save: export
simulate simulate_deposit fund: deposit
calculate estimate preview: create
cancel delete update: {_USE_REQUEST}
# Lists and results.
auto_paging_iter auto_paging iter: a for loop, which fetches the next pages itself @to_list
data items results value body content: raw | list | to_list | body | response_body | json @params
json text json_body http_body: body | response_body | to_json | to_dicts
next_page has_more has_next next_cursor cursor iter_pages get_next: pages
total total_count length: len(pager.to_list()) @to_list
page offset skip: list()[20:40] @cursor
sort sort_by order_by ordering: sorted(pager, key=lambda item: item.created_at) @cursor,fetched
count: limit | len(pager.to_list()) @to_list
head take limit top first_items: [:20], the first 20 @to_list | to_list
last tail latest: pager[-1] @to_list | lab.calls[-1] @on_screen | requests[-1] @assert_sent
where: filter | of | list().filter(field=value) @list
first: list().first() @list
as_dict to_mapping asdict to_dict_recursive dict: to_dict
as_json dumps to_string serialize: to_json
refresh reload: refresh | get | lab.quotes.again(quote) @derived_source_amount
accept confirm execute: lab.transfers.create(quote_id=quote) @derived_source_amount,again
state phase status_code http_status: status | until @every
status: until @every
verified approved: active | status
list: listen | {_ACCOUNTS}
get: {_ACCOUNTS}
paid success succeeded successful settled done finalized: completed
declined rejected unsuccessful: failed
processing in_progress in_flight executing: started
reason user_message: text
errors details param ok is_ok: problems
headers http_headers: response_headers | call.response_headers @call
request: method, url, request_headers and request_body @request_body
response: status, response_headers and response_body @request_body
source_amount destination_amount net_source_amount: amount
value value_amount amount_money source_value: source_amount | amount
qr qr_code deposit_address: deposit_instructions | deposit_card, which draws it @deposit_card
duration: elapsed
completed_at finished_at paid_at: created_at plus completed_in seconds @completed_in
target_amount target_value: destination_amount
target_currency to_currency: destination_currency
from_currency: source_currency
error_code: code
code: status @retry_after
transfer_id payout_id payment_id conversion_id: id
created_on creation_date date: created_at
error failure_code failure_message: failure_reason | failed | {_MESSAGE}
fees: total_fee
fx_rate: exchange_rate | quotes
name first_name full_name: given_name
last_name surname: family_name
currency iso_currency_code: source_currency or destination_currency @destination_currency
mapping column_map: columns
reference reference_id external_id metadata merchant_reference: client_reference_id
# Parameters.
name_of_sender: sender_name
customer_transaction_id: idempotency_key | client_reference_id
enabled_events events: event_types | list(inbox) @replay | lab.events(transfer) @completed_in
endpoint: url | base_url
host environment platform api_base: base_url
dob: date_of_birth
phone_number: phone
document_number: document
street city postal_code postcode zip zip_code: address
email_address: email
token client_id: api_key
api_secret client_secret: secret_key
max_network_retries: max_retries
timeout_in_seconds request_timeout: timeout
extra_headers custom_headers: headers
page_size per_page max_results maxitems size: limit
filename file_name filepath outfile dest: to
path: to | path
interval poll_interval polling_interval: every
usecols: columns
profile_name: profile
days hours minutes: span
start_date from_date date_from created_after: since
start: since | paylab.simulator.Server(simulator) @respond
to_sql: to_database
export csv: transfers.export @onramp
exceptions: paylab.errors @WaitTimeoutError
set_api_key: connect
read_excel: paylab.frames.read_excel @read_parquet
read_json read_jsonl: paylab.frames.read_jsonl @read_parquet
read_sql: paylab.frames.read_sql @read_parquet
account_id: conversion_account_id | financial_account | financial_accounts
starting_after page_token: cursor
quote_uuid: quote_id | quotes
destination target_account counterparty: financial_account | financial_account_id
recipient: financial_account | recipient_id | individuals | individual_id
# Parts of a lab, and of the package.
client session api configure init auth apiclient configuration: connect
customers users people persons recipients: individuals | connect().individuals @connect | onboarding
onboard: onboarding | onramp
beneficiaries entities legal_entities: individuals | connect().individuals @connect
kyc: individuals | connect().individuals @connect | onboarding
account_holders identity_verification_create: individuals | connect().individuals @connect
payments remittances: transfers | connect().transfers @connect
transfer payouts: transfers | connect().transfers @connect | transfer | {_PAY_QUOTE}
wallets external_accounts payment_methods: financial_accounts
bank_accounts: financial_accounts | account
recipient_accounts transfer_instruments: financial_accounts
webhooks: webhook_subscriptions to subscribe and inbox() to receive events @inbox | events
webhook_endpoints: webhook_subscriptions
readiness ready: simulator.readiness() @simulator
advance tick: simulator.clock.advance @simulator | clock.advance @deliveries
fail inject: simulator.faults @simulator | faults
available usd usdc: ["USD"].available @top_up
amount: ["USD"].available @top_up | {_AMOUNTS} @derived_source_amount
# Errors.
apiexception httperror requestexception restexception twiliorestexception: APIError
unauthorizederror unauthorized authenticationexception: AuthenticationError
forbiddenerror forbidden: PermissionDeniedError
notfound notfoundexception: NotFoundError
idempotencyerror: ConflictError
toomanyrequests toomanyrequestserror: RateLimitError
timeoutexception readtimeout connecttimeout: APITimeoutError
connecterror networkerror: APIConnectionError
validationerror: RuleError
virtual_accounts deposit_accounts payins: conversion_accounts
rates exchange_rates prices: quotes
sandbox_transfer_simulate: simulator
transfer_event_sync: watch
sync synchronize: pull | transfers.pull @transfers | connect().transfers.pull @connect
deposits: sandbox.deposit to pay one in and conversions to read them @sandbox
test_helpers: sandbox
snippets: calls[-1].snippet(language) @calls
dry_run check_only validate_only: check_many() @retry_failed
router: events.Router @connect
by_currency: paylab.frames.by_currency(frame) @durations
verify verify_signature verify_webhook construct_event: verify_delivery | {_VERIFY} | verify
logs history requests debug: calls
config options credentials base_url api_key: settings
http: request
wizard walkthrough stepper: onramp
orders idempotency ledger: transfers
# Without a counterpart here, although another name is similar.
expiration expiry expired is_expired valid_until: expires_at
account accounts: conversion_account_id | financial_account | financial_accounts
end end_date to_date date_to created_before: until
curl: as_curl
to_code as_code: snippet
customer_id recipient_id: individual_id
rail: payout_method
source_account:
"""
"""Names in other SDKs: the names to use here, of which the first that exists is suggested.

A hint that is not a name is for an owner that has one of the names after its @.
"""


def fold_name(name: str) -> str:
    """Write a name without case, underscores and hyphens."""
    return name.replace("_", "").replace("-", "").lower()


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def split_words(name: str) -> list[str]:
    """The words of a name in snake case or camel case."""
    return [word.lower() for word in _WORD.findall(name)]


@cache  # read with the first wrong name, not with `import paylab`
def read_habits() -> Mapping[str, list[tuple[str, set[str]]]]:
    """Names of other SDKs: what to use here, and the names of which the owner must have one."""
    return dict(_read_table(_HABIT_TABLE))


def _read_table(table: str) -> Iterator[tuple[str, list[tuple[str, set[str]]]]]:
    """Yield each name of other SDKs with its suggestions, and the names that each of these needs.

    A line is `their_name their_other_name: suggestion | suggestion @needed_name,needed_name`.
    """
    for table_line in table.strip().splitlines():
        if table_line.startswith("#"):
            continue
        other_names_text, _, our_names_text = table_line.partition(": ")
        suggestions_with_needs: list[tuple[str, set[str]]] = []
        for alternative_text in our_names_text.split(" | "):
            suggestion, _, needed_names_text = alternative_text.partition(" @")
            if suggestion:
                # Without `@`, the owner needs to have the suggestion itself.
                needed_names = set((needed_names_text or suggestion).split(","))
                suggestions_with_needs.append((suggestion, needed_names))
        for other_name in other_names_text.rstrip(":").split():
            yield fold_name(other_name), suggestions_with_needs


def find_our_name(sdk_name: str, known_names: Set[str]) -> str | None:
    """The first suggestion for a name of another SDK whose needed names the owner has, or None."""
    folded_name = fold_name(sdk_name)
    suggestions_by_name = read_habits()
    # Some names are only listed in the plural.
    suggestions = suggestions_by_name.get(folded_name) or suggestions_by_name.get(
        f"{folded_name}s", []
    )
    for suggestion, needed_names in suggestions:
        if known_names & needed_names:
            return suggestion
    return None
