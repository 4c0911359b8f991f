"""Annotations of public functions: evaluated when they are needed, and shown without quotes."""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any


def evaluate_annotation(written: object, module_name: str) -> Any:
    """Evaluate an annotation, which may be text that uses the names of a module, to a type."""
    annotation = written
    if isinstance(written, WrittenAnnotation):
        module_name = written.module
    object_by_name = _AnnotationNames(sys.modules[module_name])
    while isinstance(annotation, str):  # the name of a type alias, which may be text again
        annotation = eval(annotation, {}, object_by_name)  # noqa: S307 - an annotation of ours
    return annotation


class WrittenAnnotation(str):
    """The text of an annotation, which a tooltip shows without quotes, and the module of its names.

    >>> annotations.WrittenAnnotation("str | None", "paylab.errors.base")
    str | None
    """

    module: str

    def __new__(cls, text: str, module: str) -> WrittenAnnotation:
        """An annotation as it is written in a module."""
        annotation = super().__new__(cls, text)
        annotation.module = module
        return annotation

    def __repr__(self) -> str:
        """The text without quotes."""
        return str(self)


def write_annotations(function: Callable[..., Any]) -> None:
    """Show the annotations of a function without quotes in tooltips."""
    # Since Python 3.14 a cached function has annotations only behind its wrapper.
    annotation_by_parameter = inspect.unwrap(function).__annotations__
    for parameter_name, annotation in annotation_by_parameter.items():
        if isinstance(annotation, str):
            annotation_by_parameter[parameter_name] = WrittenAnnotation(
                annotation, function.__module__
            )


class _AnnotationNames(dict[str, Any]):
    """The names of a module, with those that it imports only if TYPE_CHECKING."""

    def __init__(self, module: ModuleType) -> None:
        """Begin with the names that are loaded; `__missing__` looks up the others."""
        super().__init__(vars(builtins) | vars(module))
        self._modules = [module]

    def __missing__(self, name: str) -> Any:
        """Import a name that an import statement in the source mentions; Any if none does."""
        for module in self._modules:
            if name in vars(module):
                return vars(module)[name]
            for statement in ast.walk(ast.parse(inspect.getsource(module))):
                if not isinstance(statement, ast.Import | ast.ImportFrom):
                    continue
                for alias in statement.names:
                    if name == (alias.asname or alias.name):
                        return self._import_name(statement, alias.name, module)
        return Any

    def _import_name(
        self, statement: ast.Import | ast.ImportFrom, imported_name: str, module: ModuleType
    ) -> Any:
        """Import the module, or the member of a module, that a statement names.

        Any if the module has no such member.
        """
        if isinstance(statement, ast.Import):
            return import_module(imported_name)
        module_path = "." * statement.level + (statement.module or "")
        source_module = import_module(module_path, module.__package__)
        # The member may be a type alias: a text with names of its own module.
        self._modules.append(source_module)
        return getattr(source_module, imported_name, Any)
