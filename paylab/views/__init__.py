"""Cards, charts, pictures and forms. Only this package imports widget and drawing libraries."""

from __future__ import annotations
