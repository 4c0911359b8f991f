"""A test client that signs its requests, and creates the objects that most requests need."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any

from .service import Service
from .signature import sign

EXAMPLES: dict[str, Any] = {
    "given_name": "Ana",
    "family_name": "Ejemplo",
    "email": "ana@example.com",
    "date_of_birth": "1990-05-17",
    "idv_consent_recorded_at": "2026-01-31T09:30:00.000Z",
}
PHONES = {"IN": "+919876543210"}
DOCUMENTS = {
    "MX": {"type": "curp", "number": "EEPA900517MDFJRN09"},
    "PH": {"type": "tin", "number": "123456789"},
    "CO": {"type": "cc", "number": "1020304050"},
    "BR": {"type": "cpf", "number": "52998224725"},
    "AR": {"type": "cuil", "number": "20123456786"},
}
DETAILS: dict[tuple[str, str], dict[str, str]] = {
    ("MX", "bank_account"): {"clabe": "646180110000000015"},
    ("PH", "bank_account"): {
        "issuer": "bdo",
        "account_number": "001234567890",
        "account_holder_name": "Ana Ejemplo",
    },
    ("BR", "pix"): {"pix_key": "ana@example.com", "pix_key_type": "email"},
    ("CO", "bank_account"): {
        "bank_code": "007",
        "account_number": "1234567890",
        "account_type": "savings",
    },
}
WALLET = {"address": "0x" + "ab" * 20, "network": "base"}


@dataclass(frozen=True)
class Reply:
    """An answer. Its body is parsed when it is JSON."""

    status: int
    headers: dict[str, str]
    body: Any

    @property
    def problems(self) -> list[tuple[str, str]]:
        """The fields and messages of a 400 in the default error style, sorted."""
        return sorted((each["field"], each["message"]) for each in self.body["errors"])


class Caller:
    """Sends requests to a service in process, signed as its settings require."""

    def __init__(self, service: Service) -> None:
        self.service = service

    def ask(
        self,
        method: str,
        target: str,
        body: Any = None,
        headers: dict[str, str] | None = None,
        **signing: Any,
    ) -> Reply:
        """Send a request. `signing` replaces arguments of `sign`."""
        service, settings = self.service, self.service.settings
        content = body if isinstance(body, bytes) else b""
        if body is not None and not isinstance(body, bytes):
            content = json.dumps(body).encode()
        own = {
            "now": service.world.clock(),
            "empty_query": settings["signing.empty_query"],
            "encoding": settings["signing.key"],
        }
        keys = service.api_key, service.secret_key
        signed = sign(*keys, method, target, content, **{**own, **signing})
        about = {"content-type": "application/json"} if body is not None else {}
        sent = {**signed, **about, **(headers or {})}
        status, answered, text = service.handle(method, target, sent, content)
        if "json" in answered.get("Content-Type", ""):
            return Reply(status, answered, json.loads(text))
        return Reply(status, answered, text.decode())

    def post(self, operation: str, body: Any, headers: dict[str, str] | None = None) -> Reply:
        """POST a body to the path of an operation."""
        return self.ask("POST", self.service.settings[f"paths.{operation}"], body, headers)

    def get(self, operation: str, key: str = "", query: str = "") -> Reply:
        """GET the path of an operation."""
        path = self.service.settings[f"paths.{operation}"].replace("{id}", key)
        return self.ask("GET", f"{path}?{query}" if query else path)

    def person(self, country: str = "MX", /, *products: str, **change: Any) -> Any:
        """Create an individual with every field that any product requires. None omits a field."""
        body = {
            **EXAMPLES,
            "country": country,
            "address": {"country": country},
            "phone": PHONES.get(country, "+525512345678"),
            "document": DOCUMENTS.get(country, {"type": "passport", "number": "X123"}),
            "product_types": list(products or ["global_payouts"]),
            **change,
        }
        kept = {key: value for key, value in body.items() if value is not None}
        return self.post("create_individual", kept)

    def account(self, person: Any, account_type: str = "bank_account", **change: Any) -> Any:
        """Create a financial account of an individual, or a wallet."""
        details = DETAILS.get((person["country"], account_type), WALLET)
        body = {"individual_id": person["id"], "type": account_type}
        return self.post("create_account", {**body, "details": {**details, **change}})

    def images(self, person: Any, *sides: str) -> Any:
        """Upload one image of the smallest accepted size for each side."""
        content = "data:image/png;base64," + base64.b64encode(bytes(10240)).decode()
        rows = [{"type": side, "content": content} for side in sides]
        path = self.service.settings["paths.upload_images"].replace("{id}", person["id"])
        return self.ask("POST", path, {"images": rows})
