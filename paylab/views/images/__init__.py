"""Verification images: choose, preview, remove the location, upload."""

from __future__ import annotations

from .form import ImagesForm as ImagesForm
