"""Items that nobody can see from outside: questions for those who run the integration."""

from __future__ import annotations

from .item import Item

QUESTIONS = (
    Item(
        "questions.key-first",
        "Is the key of an order stored, or can it be computed, before the order is sent?",
        "After a crash only the key tells whether an order was paid.",
        "spec: Idempotency",
    ),
    Item(
        "questions.event-first",
        "Is an event stored before it is answered with a 2xx?",
        "An event that was answered does not come again.",
        "webhook.delivery",
    ),
    Item(
        "questions.money",
        "Are amounts exact decimals everywhere in your program, never floats?",
        "Amounts, rates and fees are strings.",
        "spec: Resources and their fields",
    ),
    Item(
        "questions.secrets",
        "Is the secret key outside of the code, of logs and of pictures of machines?",
        "Whoever has the secret key can pay.",
        "spec: Authentication",
    ),
    Item(
        "questions.logs",
        "Do your logs leave out documents, images, names and account numbers?",
        "Verification needs documents and images of people.",
        "spec: VerificationImage",
    ),
    Item(
        "questions.clock",
        "Is the clock of your machines kept right, and is somebody told when it is not?",
        "Every request has the current time; a service refuses dates that are off.",
        "signing.tolerance",
    ),
    Item(
        "questions.people",
        "Is somebody told when a transfer fails, stays under review or expires?",
        "failed, under_review and expired need a decision of a person.",
        "spec: Transfer status",
    ),
    Item(
        "questions.books",
        "Are your books compared with the service every day?",
        "An event can be lost, and an answer too.",
        "spec: Events",
    ),
    Item(
        "questions.funding",
        "Does somebody watch the prefunded balance?",
        "The customer first sends funds, which must settle before transfers can be executed.",
        "spec: What the service does, 8",
    ),
    Item(
        "questions.caps",
        "Are amounts, fees and recipients checked before an order is created?",
        "Transfer amount limits are not shown by the spec.",
        "spec: Limits",
    ),
)
