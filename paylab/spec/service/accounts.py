"""The details of financial accounts: per country and type, the names, required fields and words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Literal

from ...light_dataclass import light_dataclass
from .frozen import FrozenDict, make_name_table
from .setting import Setting
from .value_types import Place, Words, WordsLimit


@light_dataclass(frozen=True)
class AccountDetails:
    """The details of one account type in one country: our names and the service's.

    `allowed` are the words of `field`, if there is a field with fixed words. `place` names the
    country and the type, such as MX.bank_account.
    """

    fields: Annotated[
        FrozenDict[Place],
        Setting("Under which name do the details of a {account} hold what paylab calls {name}?"),
    ]
    required: Annotated[
        Words,
        WordsLimit(),
        Setting("Which fields must the details of a {account} have (in paylab's names)?"),
    ]
    allowed: Annotated[
        Words, WordsLimit(), Setting("Which words may {field} of a {account} have?")
    ] = ()
    field: str = ""
    place: str = ""

    @property
    def key(self) -> str:
        """The dotted key of its settings."""
        return f"financial_accounts.{self.place}"


@light_dataclass(frozen=True)
class BankCountry:
    """A country with bank accounts."""

    bank_account: AccountDetails


@light_dataclass(frozen=True)
class PixCountry:
    """A country with PIX keys."""

    pix: AccountDetails


@light_dataclass(frozen=True)
class UpiCountry:
    """A country with UPI identifiers."""

    upi: AccountDetails


@light_dataclass(frozen=True)
class QrCountry:
    """A country with bank accounts, wallets and QR codes."""

    bank_account: Annotated[
        AccountDetails,
        Setting(
            row="details.ph",
            others={
                "fields.issuer": ("bank", "bank_code"),
                "fields.account_number": ("number",),
                "fields.account_holder_name": ("holder_name",),
                "required": (
                    ("issuer", "account_number", "account_holder_name", "label"),
                    ("issuer", "account_number"),
                ),
                "allowed": (("bdo", "bpi"), ("BDO", "BPI", "LANDBANK")),
            },
        ),
    ]
    digital_wallet: Annotated[
        AccountDetails,
        Setting(
            row="details.ph",
            others={
                "fields.issuer": ("bank", "bank_code"),
                "fields.account_number": ("number",),
                "fields.account_holder_name": ("holder_name",),
                "required": (
                    ("issuer", "account_number", "account_holder_name", "label"),
                    ("issuer", "account_number"),
                ),
                "allowed": (("gcash", "maya"), ("gcash", "grabpay", "paymaya")),
            },
        ),
    ]
    ph_qr_code: Annotated[
        AccountDetails,
        Setting(
            row="details.ph-qr",
            others={
                "fields.qrph_payload": ("qr_payload", "payload"),
                "required": (("qrph_payload", "label"),),
            },
        ),
    ]


def _make_holder(*names: str) -> FrozenDict[str]:
    """Make a table of names that ends with the name of the holder of the account."""
    return make_name_table(*names, "account_holder_name")


_PH = ("issuer", "account_number", "account_holder_name")


@light_dataclass(frozen=True)
class AccountSettings:
    """The details of accounts by country and type, and how accounts are created and updated."""

    fields: Annotated[
        FrozenDict[Place],
        Setting(
            "Under which name does a financial account, sent or answered, hold what paylab "
            "calls {name}?",
            row="account.owner",
            origin="spec",
            others={"individual_id": ("customer_id", "individual.id")},
        ),
    ] = make_name_table("individual_id")
    AR: Annotated[
        BankCountry,
        Setting(
            row="details.ar",
            origin="public",
            others={
                "bank_account.fields.account_number": ("cbu", "cbu_cvu"),
                "bank_account.fields.account_type": ("type",),
                "bank_account.required": (
                    ("account_number", "account_type", "label"),
                    ("account_number",),
                ),
                "bank_account.allowed": (("cbu",), ("CBU", "CVU")),
            },
        ),
    ] = BankCountry(
        AccountDetails(
            make_name_table("account_number", "account_type"),
            required=("account_number", "account_type"),
            allowed=("cbu", "cvu"),
            field="account_type",
            place="AR.bank_account",
        )
    )
    BR: Annotated[
        PixCountry,
        Setting(
            row="details.br",
            others={
                "pix.fields.pix_key": ("key",),
                "pix.fields.pix_key_type": ("key_type",),
                "pix.required": (("pix_key", "pix_key_type", "label"), ("pix_key",)),
                "pix.allowed": (
                    ("cpf", "email", "phone", "evp"),
                    ("cpf", "cnpj", "email", "phone", "random"),
                ),
            },
        ),
    ] = PixCountry(
        AccountDetails(
            make_name_table("pix_key", "pix_key_type"),
            required=("pix_key", "pix_key_type"),
            allowed=("cpf", "cnpj", "email", "phone", "evp"),
            field="pix_key_type",
            place="BR.pix",
        )
    )
    CO: Annotated[
        BankCountry,
        Setting(
            row="details.co",
            others={
                "bank_account.fields.bank_code": ("bank_id",),
                "bank_account.fields.account_number": ("number",),
                "bank_account.fields.account_type": ("type",),
                "bank_account.required": (
                    ("bank_code", "account_number", "account_type", "label"),
                    ("bank_code", "account_number"),
                ),
                "bank_account.allowed": (("savings", "current"), ("SAVINGS", "CHECKING")),
            },
        ),
    ] = BankCountry(
        AccountDetails(
            make_name_table("bank_code", "account_number", "account_type"),
            required=("bank_code", "account_number", "account_type"),
            allowed=("savings", "checking"),
            field="account_type",
            place="CO.bank_account",
        )
    )
    IN: Annotated[
        UpiCountry,
        Setting(
            row="details.in",
            origin="spec",
            others={"upi.fields.upi_id": ("vpa",), "upi.required": (("upi_id", "label"),)},
        ),
    ] = UpiCountry(AccountDetails(make_name_table("upi_id"), required=("upi_id",), place="IN.upi"))
    MX: Annotated[
        BankCountry,
        Setting(
            row="details.mx",
            others={
                "bank_account.fields.clabe": ("account_number", "clabe_number"),
                "bank_account.required": (("clabe", "label"),),
            },
        ),
    ] = BankCountry(
        AccountDetails(make_name_table("clabe"), required=("clabe",), place="MX.bank_account")
    )
    PH: QrCountry = QrCountry(
        AccountDetails(
            make_name_table(*_PH),
            required=_PH,
            allowed=("bdo", "bpi", "landbank", "metrobank", "unionbank"),
            field="issuer",
            place="PH.bank_account",
        ),
        AccountDetails(
            make_name_table(*_PH),
            required=_PH,
            allowed=("gcash", "grabpay", "maya"),
            field="issuer",
            place="PH.digital_wallet",
        ),
        AccountDetails(
            make_name_table("qrph_payload"), required=("qrph_payload",), place="PH.ph_qr_code"
        ),
    )
    GB: Annotated[
        BankCountry,
        Setting(
            row="details.gb",
            others={
                "bank_account.fields.bank_account_country": ("country",),
                "bank_account.fields.sort_code": ("sortcode",),
                "bank_account.fields.account_number": ("number",),
                "bank_account.fields.account_holder_name": ("holder_name",),
                "bank_account.required": (
                    ("bank_account_country", "sort_code", "account_number", "label"),
                    ("bank_account_country", "sort_code", "account_number"),
                ),
            },
        ),
    ] = BankCountry(
        AccountDetails(
            _make_holder("bank_account_country", "sort_code", "account_number"),
            required=(
                "bank_account_country",
                "sort_code",
                "account_number",
                "account_holder_name",
            ),
            place="GB.bank_account",
        )
    )
    SEPA: Annotated[
        BankCountry,
        Setting(
            row="details.sepa",
            others={
                "bank_account.fields.bank_account_country": ("country",),
                "bank_account.fields.iban": ("account_number",),
                "bank_account.fields.bic": ("swift",),
                "bank_account.fields.account_holder_name": ("holder_name",),
                "bank_account.required": (
                    ("bank_account_country", "iban", "account_holder_name", "label"),
                    ("bank_account_country", "iban"),
                ),
            },
        ),
    ] = BankCountry(
        AccountDetails(
            _make_holder("bank_account_country", "iban", "bic"),
            required=("bank_account_country", "iban", "account_holder_name"),
            place="SEPA.bank_account",
        )
    )
    crypto_wallet: Annotated[
        AccountDetails,
        Setting(
            row="details.wallet",
            origin="public",
            others={
                "fields.address": ("wallet_address", "public_address"),
                "fields.network": ("blockchain", "chain"),
                "required": (("address", "network", "label"), ("address",)),
                "allowed": (
                    ("base", "polygon"),
                    ("base", "ethereum", "polygon", "solana", "arbitrum"),
                ),
            },
        ),
    ] = AccountDetails(
        make_name_table("address", "network"),
        required=("address", "network"),
        allowed=("base", "ethereum", "polygon", "solana"),
        field="network",
        place="crypto_wallet",
    )
    update: Annotated[
        Literal["replace", "merge"],
        Setting(
            "Does an update replace the whole details object, or only the fields that it names?",
            row="account.update",
        ),
    ] = "replace"


ACCOUNTS: Mapping[str, Callable[[AccountSettings], AccountDetails]] = {
    "AR.bank_account": lambda accounts: accounts.AR.bank_account,
    "BR.pix": lambda accounts: accounts.BR.pix,
    "CO.bank_account": lambda accounts: accounts.CO.bank_account,
    "IN.upi": lambda accounts: accounts.IN.upi,
    "MX.bank_account": lambda accounts: accounts.MX.bank_account,
    "PH.bank_account": lambda accounts: accounts.PH.bank_account,
    "PH.digital_wallet": lambda accounts: accounts.PH.digital_wallet,
    "PH.ph_qr_code": lambda accounts: accounts.PH.ph_qr_code,
    "GB.bank_account": lambda accounts: accounts.GB.bank_account,
    "SEPA.bank_account": lambda accounts: accounts.SEPA.bank_account,
    "crypto_wallet": lambda accounts: accounts.crypto_wallet,
}
"""The details of every account by its place."""
