"""Modules whose public name is not where they are stored: `from paylab.events import Router`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, cast


class LateModules:
    """Imports an attribute of a package that is a module, as if it were stored in the package.

    `homes` has the module of each name, as `module`, or `module:name` for what is no module.
    """

    def __init__(self, package: ModuleType, homes: Mapping[str, str]) -> None:
        self._package = package
        self._module_names = {
            f"{package.__name__}.{name}": name for name, home in homes.items() if ":" not in home
        }
        self._own_specs: dict[str, ModuleSpec | None] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a public name; None for any other."""
        loader = cast("Any", self)  # the base class of loaders takes long to import
        return ModuleSpec(fullname, loader) if fullname in self._module_names else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module itself, not a copy of it."""
        module: ModuleType = getattr(self._package, self._module_names[spec.name])
        self._own_specs[module.__name__] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its own spec back, which the import has replaced."""
        module.__spec__ = self._own_specs.pop(module.__name__)


def register_late_modules(package_name: str, homes: Mapping[str, str]) -> None:
    """Let the modules of a package be imported by their public names."""
    # Last: modules that are stored under their public name are found before.
    sys.meta_path.append(LateModules(sys.modules[package_name], homes))
