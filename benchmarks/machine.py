"""The machine that numbers come from, described by what matters to them and nothing that identifies it."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

LIBRARIES = ("PyYAML", "orjson", "jsonschema-rs", "jinja2", "click", "openlineage-python")


def described() -> dict[str, str]:
    """Return the description, in the order in which it is shown."""
    return {
        "processor": _line("/proc/cpuinfo", "model name") or platform.machine(),
        "cores": str(os.cpu_count()),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "system": f"{_line('/etc/os-release', 'PRETTY_NAME') or platform.system()}, {_kernel()}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        **{name: _version(name) for name in LIBRARIES},
    }


def _kernel() -> str:
    return f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}"


def _line(file: str, key: str) -> str:
    """Return what a file of `key: value` or `key=value` lines says first of a key, or nothing."""
    try:
        lines = Path(file).read_text("utf-8").splitlines()
    except OSError:
        return ""
    pairs = (line.replace("=", ":", 1).split(":", 1) for line in lines if line.startswith(key))
    return next((pair[1].strip().strip('"') for pair in pairs), "")


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"
