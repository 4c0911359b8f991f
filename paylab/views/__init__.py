"""What people see: cards, pictures and forms. The only part that imports widgets and drawing."""

from __future__ import annotations
