"""Tests in a browser: a package, so that its window can close when the last of them is done."""
