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
    """The type of an annotation that may be text, with the names of its module."""
    annotation = written
    home = written.module if isinstance(written, WrittenAnnotation) else module_name
    module_names = _AnnotationNames(sys.modules[home])
    while isinstance(annotation, str):  # an alias may be text, too
        annotation = eval(annotation, {}, module_names)  # noqa: S307 - an annotation of ours
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
        return str(self)


def write_annotations(function: Callable[..., Any]) -> None:
    """Show the annotations of a function without quotes in tooltips."""
    annotation_by_parameter = inspect.unwrap(
        function
    ).__annotations__  # since Python 3.14 a cache has none of its own
    for parameter_name, annotation in annotation_by_parameter.items():
        if isinstance(annotation, str):
            annotation_by_parameter[parameter_name] = WrittenAnnotation(
                annotation, function.__module__
            )


class _AnnotationNames(dict[str, Any]):
    """The names of a module, those included that are imported for annotations only."""

    def __init__(self, module: ModuleType) -> None:
        super().__init__(vars(builtins) | vars(module))
        self._modules = [module]

    def __missing__(self, name: str) -> Any:
        for module in self._modules:
            if name in vars(module):
                return vars(module)[name]
            for node in ast.walk(ast.parse(inspect.getsource(module))):
                if not isinstance(node, ast.Import | ast.ImportFrom):
                    continue
                for alias in node.names:
                    if name == (alias.asname or alias.name):
                        return self._import_name(node, alias.name, module)
        return Any

    def _import_name(
        self, node: ast.Import | ast.ImportFrom, imported_name: str, module: ModuleType
    ) -> Any:
        """Import what an import statement of a module names; Any if it does not exist."""
        if isinstance(node, ast.Import):
            return import_module(imported_name)
        home = import_module("." * node.level + (node.module or ""), module.__package__)
        self._modules.append(home)  # an alias in it may be text with names of its own
        return getattr(home, imported_name, Any)
