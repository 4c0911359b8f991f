"""The operations of the service, one class per resource."""

from .conversions import ConversionAccounts as ConversionAccounts
from .conversions import Conversions as Conversions
from .conversions import Sandbox as Sandbox
from .individuals import FinancialAccounts as FinancialAccounts
from .individuals import Individuals as Individuals
from .transfers import Quotes as Quotes
from .transfers import Transfers as Transfers
from .webhooks import WebhookSubscriptions as WebhookSubscriptions
