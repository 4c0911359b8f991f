"""How a request is signed, how a signature is checked, and why one does not match.

Everything here is a pure function: date, nonce and keys are arguments.
Rules from the spec, "Authentication"; readings from the assumptions `signing.*`.
"""

from .canonical import EMPTY_HASH as EMPTY_HASH
from .canonical import SPELLING as SPELLING
from .canonical import EmptyQuery as EmptyQuery
from .canonical import Received as Received
from .canonical import Signature as Signature
from .canonical import authorization as authorization
from .canonical import body_hash as body_hash
from .canonical import canonical_request as canonical_request
from .canonical import key_bytes as key_bytes
from .canonical import keyed as keyed
from .canonical import sign as sign
from .canonical import signed_headers as signed_headers
from .comparison import compare as compare
from .corrections import Mistake as Mistake
from .explain import Explanation as Explanation
from .explain import explain as explain
from .explain import explain_text as explain_text
from .findings import Authorization as Authorization
from .findings import Finding as Finding
from .findings import SignedRequest as SignedRequest
from .mistakes import body_mistake as body_mistake
from .mistakes import signature_mistake as signature_mistake
from .unauthorized import verify as verify
