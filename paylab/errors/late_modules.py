"""Modules whose public name is not where they are stored: `from paylab.events import Router`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, cast


class LateModules:
    """A finder and loader that imports the public modules of a package from where they are stored.

    `stored_names` has what is behind each public name: a module as `views.charts`, and any other
    object, which cannot be imported, as `lab.lab:connect`.
    """

    def __init__(self, package: ModuleType, stored_names: Mapping[str, str]) -> None:
        """Keep the public names of modules, by the full name of an import."""
        self._package = package
        self._public_name_by_import = {
            f"{package.__name__}.{public_name}": public_name
            for public_name, stored_name in stored_names.items()
            if ":" not in stored_name  # lab.lab:connect is an object, which cannot be imported
        }
        self._spec_by_stored_module: dict[str, ModuleSpec | None] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a public name; None for any other."""
        loader = cast("Any", self)  # the base class of loaders takes long to import
        return ModuleSpec(fullname, loader) if fullname in self._public_name_by_import else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The stored module itself, not a copy of it."""
        module: ModuleType = getattr(self._package, self._public_name_by_import[spec.name])
        self._spec_by_stored_module[module.__name__] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its own spec back, which the import has replaced."""
        module.__spec__ = self._spec_by_stored_module.pop(module.__name__)


def register_late_modules(package_name: str, stored_names: Mapping[str, str]) -> None:
    """Let the modules of a package be imported by their public names."""
    # Last: Python finds a module that is stored under its public name by itself.
    sys.meta_path.append(LateModules(sys.modules[package_name], stored_names))
