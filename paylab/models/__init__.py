"""The service's resources, read tolerantly: nothing the service sends makes reading fail.

Every field may be absent, and absent and null read alike (None). A value that is not of the
documented type is kept as it came; unknown fields are kept too. `.raw` is the JSON object as
sent, so which fields came is always visible.
"""

from .amount import Amount as Amount
from .conversions import Conversion as Conversion
from .conversions import ConversionAccount as ConversionAccount
from .conversions import ConversionDeposit as ConversionDeposit
from .conversions import ConversionPayout as ConversionPayout
from .conversions import Deposit as Deposit
from .individuals import Address as Address
from .individuals import Document as Document
from .individuals import FinancialAccount as FinancialAccount
from .individuals import Individual as Individual
from .individuals import StatusDetail as StatusDetail
from .individuals import VerificationImage as VerificationImage
from .individuals import VerificationImages as VerificationImages
from .resource import Instant as Instant
from .resource import Money as Money
from .resource import Resource as Resource
from .transfers import DepositInstructions as DepositInstructions
from .transfers import Quote as Quote
from .transfers import Transfer as Transfer
from .webhooks import WebhookSubscription as WebhookSubscription

__all__ = [
    "Address",
    "Amount",
    "Conversion",
    "ConversionAccount",
    "ConversionDeposit",
    "ConversionPayout",
    "Deposit",
    "DepositInstructions",
    "Document",
    "FinancialAccount",
    "Individual",
    "Instant",
    "Money",
    "Quote",
    "Resource",
    "StatusDetail",
    "Transfer",
    "VerificationImage",
    "VerificationImages",
    "WebhookSubscription",
]
