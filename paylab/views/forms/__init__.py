"""Forms: inputs that check themselves, one button, and the code that does the same."""

from __future__ import annotations
