"""Verification images: choose, preview, remove the location, upload."""

from .form import ImagesForm as ImagesForm
