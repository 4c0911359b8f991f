"""The packages of a site: those that are pinned, paylab's own wheel, and the lock file."""

import json
import re
import tomllib
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

import paylab
from paylab.site.own_wheel import write_own_wheel
from paylab.site.runtime_files import CORE, RuntimeFiles
from paylab.site.wheels import (
    PLATFORM,
    check_wheels,
    download_options,
    lock_entry,
    read_pinned_wheels,
)

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
OF_SERVERS = {"certifi", "httpcore", "httptools", "jsonschema", "shtab", "uvicorn"}
"""Dependencies of paylab that only connections, servers and terminals use."""

OF_BUILD = ("jupyterlite", "mistune", "pip")
"""Packages, by the start of their names, that make a site and are not in its pages."""


def test_the_pinned_packages_satisfy_what_paylab_requires():
    """Every dependency is pinned to a version that it allows, but for those that it lacks."""
    pinned = {wheel.name: wheel.version for wheel in read_pinned_wheels()}
    extras = PROJECT["optional-dependencies"]["site"]
    for text in (*PROJECT["dependencies"], *extras):
        requirement = Requirement(text)
        if requirement.name in OF_SERVERS or requirement.name.startswith(OF_BUILD):
            continue
        assert requirement.specifier.contains(pinned[requirement.name]), text
    assert len(pinned) == len(read_pinned_wheels())


@pytest.mark.parametrize(
    "line",
    ["httpx", "httpx==0.28.1", "httpx>=1 --hash=sha256:" + "0" * 64, "a==1 --hash=md5:0"],
)
def test_a_line_without_version_and_hash_is_refused(line, tmp_path):
    """Nothing is downloaded that is not known beforehand."""
    (tmp_path / "wheels.txt").write_text(f"# a comment\n\n{line}\n")
    with pytest.raises(ValueError, match="pins no wheel"):
        read_pinned_wheels(tmp_path / "wheels.txt")


def test_pip_checks_hashes_and_takes_nothing_else(tmp_path):
    """The download has no dependency, no source archive, and a hash for each file."""
    options = download_options(tmp_path)
    assert {"--no-deps", "--require-hashes", "--only-binary=:all:", PLATFORM} <= {*options}


def test_a_missing_download_is_named(tmp_path):
    """A wheel that is not there, or not as pinned, ends the build."""
    (tmp_path / "httpx-0.28.1-py3-none-any.whl").write_bytes(b"another")
    with pytest.raises(paylab.PaylabError, match=r"not downloaded: .*httpx.*pydantic-core"):
        check_wheels(tmp_path.glob("*.whl"))


def test_the_own_wheel_has_the_package_and_nothing_else(tmp_path):
    """Equal sources make equal bytes, without notebooks and caches; its record is right."""
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    first, second = (write_own_wheel(folder) for folder in folders)
    assert first.read_bytes() == second.read_bytes()
    with ZipFile(first) as wheel:
        names = wheel.namelist()
        assert wheel.testzip() is None
        record = [line.split(",") for line in wheel.read(names[-1]).decode().splitlines()]
    assert [row[0] for row in record] == names
    assert {"paylab/__init__.py", "paylab/site/wheels.txt", "paylab/views/inbox.css"} <= {*names}
    assert not [name for name in names if re.search(r"__pycache__|\.ipynb|\.pyc", name)]
    entry = lock_entry(first)
    assert entry["imports"] == ["paylab"]
    assert entry["sha256"] == sha256(first.read_bytes()).hexdigest()
    assert (entry["name"], entry["version"]) == ("paylab", paylab.__version__)


def write_runtime(folder, packages=(), abi="2026_0"):
    """A folder like a runtime, with a lock file of packages that need one another in a row."""
    folder.mkdir()
    for name in CORE:
        (folder / name).write_text(name)
    entries = {}
    for name, need in zip(packages, [*packages[1:], None], strict=False):
        (folder / f"{name}.whl").write_text(name)
        digest = sha256(name.encode()).hexdigest()
        depends = [need] if need else []
        entries[name] = {"file_name": f"{name}.whl", "sha256": digest, "depends": depends}
    lock = {"info": {"abi_version": abi}, "packages": entries}
    (folder / "pyodide-lock.json").write_text(json.dumps(lock))
    return folder


def test_a_whole_distribution_brings_its_frames(tmp_path):
    """pandas and all that it needs are copied; without one of its files there are no frames."""
    folder = write_runtime(tmp_path / "full", ("pandas", "numpy", "other"))
    runtime = RuntimeFiles(folder)
    assert runtime.has_frames
    (tmp_path / "site").mkdir()
    assert runtime.copy(tmp_path / "site").keys() == {"pandas", "numpy", "other"}
    names = {path.name for path in (tmp_path / "site").iterdir()}
    assert names == {*CORE, "pandas.whl", "numpy.whl", "other.whl"}
    (folder / "numpy.whl").write_text("damaged")
    assert not RuntimeFiles(folder).has_frames


def test_the_npm_package_has_no_frames(tmp_path):
    """Its lock file names pandas, whose wheel it does not have."""
    folder = write_runtime(tmp_path / "npm", ("pandas",))
    (folder / "pandas.whl").unlink()
    runtime = RuntimeFiles(folder)
    assert (runtime.has_frames, runtime.url_in_page, runtime.address) == (False, "./", "")


@pytest.mark.parametrize(
    ("missing", "abi", "words"),
    [
        ("pyodide.asm.wasm", "2026_0", "has no pyodide.asm.wasm: --pyodide is the folder"),
        ("pyodide-lock.json", "2026_0", "has no pyodide-lock.json"),
        ("", "2025_0", "has ABI 2025_0"),
    ],
)
def test_another_folder_is_no_runtime(missing, abi, words, tmp_path):
    """A folder without a file of the runtime, or with another one, is refused at once."""
    folder = write_runtime(tmp_path / "x", abi=abi)
    if missing:
        (folder / missing).unlink()
    with pytest.raises(paylab.ConfigError, match=re.escape(words)):
        RuntimeFiles(folder)
