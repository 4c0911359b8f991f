"""How a child of this Python interpreter is started: without the files of the current folder.

The current folder may be somebody else's. A child that looks for modules there would run its
`sitecustomize.py` or `usercustomize.py` at the start, and a `logging.py` in place of the standard
library's at the first import. -I would ignore the packages of the user, too, such as those that
decode images.

Kernels are no such children: their folder holds the modules of the user.

The start of the `paylab` script and of a kernel cannot be guarded here: with a relative or empty
entry in PYTHONPATH Python runs the `encodings.py` and `sitecustomize.py` of the current folder
before any code of paylab.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

SEARCHED = "PYTHONPATH"
"""The folders in which every Python looks for modules, before those of the installation."""


def python_command(*arguments: str) -> list[str]:
    """The command that starts this Python in a child, without modules of the current folder.

    With -P a child looks for modules neither in "." nor in the folder of its script.

    >>> python_command("-c", "pass")[1:]
    ['-P', '-c', 'pass']
    """
    return [sys.executable, "-P", *arguments]


def python_environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment of a child: PYTHONPATH without relative folders, which -P does not ignore.

    An empty entry is relative, too: it means the current folder.

    >>> python_environment({"PYTHONPATH": ".", "HOME": "/home/ana"})
    {'HOME': '/home/ana'}
    """
    value_by_variable = dict(environ)
    folders = value_by_variable.pop(SEARCHED, "").split(os.pathsep)
    absolute_folders_text = os.pathsep.join(folder for folder in folders if os.path.isabs(folder))
    if not absolute_folders_text:
        return value_by_variable
    return {**value_by_variable, SEARCHED: absolute_folders_text}
