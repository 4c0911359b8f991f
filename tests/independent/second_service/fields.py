"""Deviations of fields: their names, shapes and words, and which are required."""


def details(kind, **change):
    return {"details": {kind: change}}


def names(operation, **names):
    return {"names": {operation: names}}


WALLET, MX, BR, PH = "crypto_wallet", "MX.bank_account", "BR.pix", "PH.digital_wallet"
GB, SEPA, AR, CO = "GB.bank_account", "SEPA.bank_account", "AR.bank_account", "CO.bank_account"

NAMES = {
    "wallet-destination": details(WALLET, names={"address": "destination_address"}),
    "wallet-chain": details(WALLET, names={"network": "chain_id"}),
    "wallet-both": details(WALLET, names={"address": "public_key", "network": "ledger"}),
    "clabe-number": details(MX, names={"clabe": "clabe_number"}),
    "clabe-spei-account": details(MX, names={"clabe": "spei_account"}),
    "pix-plain": details(BR, names={"pix_key": "key", "pix_key_type": "key_type"}),
    "ph-camel": details(
        PH, names={"issuer": "bankCode", "account_number": "accountNumber"}
    ),
    "ph-three": details(
        PH,
        names={
            "issuer": "institution",
            "account_number": "number",
            "account_holder_name": "beneficiary",
        },
    ),
    "gb-short": details(GB, names={"sort_code": "sortcode", "account_number": "acct_no"}),
    "sepa-holder": details(SEPA, names={"account_holder_name": "holder"}),
    "co-bank": details(CO, names={"bank_code": "bank_id", "account_type": "kind"}),
    "quote-amount": names("quote.create", source_amount="amount"),
    "quote-currencies": names(
        "quote.create", source_currency="from", destination_currency="to"
    ),
    "quote-rail": names("quote.create", payout_method="rail"),
    "quote-answer": names(
        "quote", exchange_rate="rate", total_fee="fee", expires_at="valid_until"
    ),
    "transfer-quote": names("transfer.create", quote_id="quotation_id"),
    "account-person": names("conversion_account.create", individual_id="owner_id"),
    "account-currency": names(
        "conversion_account", source_currency="deposit_currency"
    ) | {"names": {"conversion_account.create": {"source_currency": "deposit_currency"},
                   "conversion_account": {"source_currency": "deposit_currency"}}},
    "account-two": names(
        "conversion_account.create", individual_id="person", source_currency="fiat"
    ),
    "deposit-account": names("deposit", conversion_account_id="virtual_account_id"),
    "deposit-amount": names("deposit", amount="value"),
    "deposit-two": names("deposit", amount="deposit_amount", currency="deposit_currency"),
    "instructions-clabe": {
        "names": {
            "conversion_account": {"deposit_instructions.details.clabe": "virtual_clabe"}
        }
    },
    "instructions-qr": {
        "names": {"conversion_account": {"deposit_instructions.details.qrph_payload": "emv"}}
    },
}  # fmt: skip

SHAPES = {
    "quote-account-by-id": {"references": {"quote": "id"}},
    "payout-account-by-id": {"references": {"account": "id"}},
    "both-by-id": {"references": {"quote": "id", "account": "id"}},
    "amounts-numbers": {"amounts": {"requests": "number"}},
    "amounts-numbers-both": {"amounts": {"requests": "number", "answers": "number"}},
    "currencies-upper": {"currencies": "upper"},
    "currencies-lower": {"currencies": "lower"},
}

WORDS = {
    "networks-capitals": details(
        WALLET, words={"network": ["BASE", "ETHEREUM", "POLYGON", "SOLANA"]}
    ),
    "networks-others": details(WALLET, words={"network": ["stellar", "tron"]}),
    "networks-mainnet": details(WALLET, words={"network": ["base-mainnet", "polygon-mainnet"]}),
    "issuers-codes": details(PH, words={"issuer": ["BNORPHMM", "BOPIPHMM", "TLBPPHMM"]}),
    "pix-types-capitals": details(
        BR, words={"pix_key_type": ["CPF", "CNPJ", "EMAIL", "PHONE", "EVP"]}
    ),
    "ar-types-capitals": details(AR, words={"account_type": ["CBU", "CVU"]}),
    "co-types-other": details(CO, words={"account_type": ["ahorros", "corriente"]}),
    "mx-rail-local": {"rails": {"MX": ["local"]}},
    "wallet-without-network": details(WALLET, drops=["network"]),
}

REQUIRED = {
    "people-need-contact": {"needs": {"individual.create": ["email", "phone"]}},
    "people-need-street": {
        "needs": {"individual.create": ["address.line_1", "address.city", "address.postal_code"]}
    },
    "people-need-birthday": {"needs": {"individual.create": ["date_of_birth"]}},
    "transfer-needs-reference": {"needs": {"transfer.create": ["client_reference_id"]}},
    "account-needs-reference": {
        "needs": {"conversion_account.create": ["client_reference_id"]}
    },
    "account-needs-currency": {
        "needs": {"conversion_account.create": ["destination_currency"]}
    },
    "clabe-with-owner": details(MX, needs=["account_holder_name"]),
    "wallet-with-label": details(WALLET, needs=["label"]),
    "quote-needs-currency": {"needs": {"quote.create": ["source_currency"]}},
    "bic-needed": details(SEPA, needs=["bic"]),
}  # fmt: skip
