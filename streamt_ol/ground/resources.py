"""Where rule tables, schemas and the contract are: inside the wheel, or beside the package in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def _folder(name: str) -> Path:
    packaged = _PACKAGE / name
    return packaged if packaged.is_dir() else _PACKAGE.parent / name


def package_folder() -> Path:
    """Return the folder of the program's own sources."""
    return _PACKAGE


def rules_folder() -> Path:
    """Return the folder of the packaged rule tables."""
    return _folder("rules")


def schemas_folder() -> Path:
    """Return the folder of the packaged schemas."""
    return _folder("schemas")


def contract_page() -> Path:
    """Return the page of statements that rows cite."""
    packaged = _PACKAGE / "contract.md"
    return packaged if packaged.is_file() else _PACKAGE.parent / "docs" / "contract.md"
