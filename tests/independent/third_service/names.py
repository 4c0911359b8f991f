"""Operations that deviations are about."""

PERSON = "individuals.create"
ACCOUNT = "financial_accounts.create"
QUOTE = "quotes.create"
TRANSFER = "transfers.create"
ONRAMP = "conversion_accounts.create"
DEPOSIT = "sandbox.deposit"
WEBHOOK = "webhook_subscriptions.create"
IMAGES = "individuals.upload_images"
CREATIONS = (PERSON, ACCOUNT, QUOTE, TRANSFER, ONRAMP, DEPOSIT, WEBHOOK)
