"""Verification images: chosen, looked at, cleaned and uploaded."""

from __future__ import annotations

from .form import ImagesForm as ImagesForm
