"""A small project on disk, and the ways to load it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from streamt_ol.ground.errors import Failures, StreamtError
from streamt_ol.project.load import Loaded, load_project

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

HEAD = "apiVersion: streamt.dev/v1alpha1\nproject: {name: p}\n"
RUNTIME = 'runtime: {kafka: {bootstrap_servers: "b.example:9092"}}\n'
KINDS = ("topic", "virtual_topic", "flink", "sink")


@pytest.fixture
def folder(tmp_path: Path) -> Callable[[Mapping[str, str | bytes]], Path]:
    """Write files into the project folder, and return that."""

    def write(files: Mapping[str, str | bytes]) -> Path:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path

    return write


@pytest.fixture
def load(folder: Callable[..., Path]) -> Callable[..., Loaded]:
    """Load a project: `rest` follows apiVersion, project and runtime, `main` replaces the whole file."""

    def run(
        rest: str = "",
        files: Mapping[str, str | bytes] | None = None,
        *,
        main: str | bytes | None = None,
        environment: str | None = None,
        variables: Mapping[str, str] | None = None,
        kinds: tuple[str, ...] = KINDS,
        **options: Any,
    ) -> Loaded:
        text = HEAD + RUNTIME + rest if main is None else main
        return load_project(
            folder({"stream_project.yml": text, **(files or {})}),
            environment=environment,
            process_environment=variables or {},
            materializations=kinds,
            **options,
        )

    return run


@pytest.fixture
def failures(load: Callable[..., Loaded]) -> Callable[..., list[StreamtError]]:
    """Load a project that must be refused, and return the failures."""

    def run(*args: Any, **options: Any) -> list[StreamtError]:
        try:
            load(*args, **options)
        except Failures as several:
            return list(several.failures)
        except StreamtError as one:
            return [one]
        raise AssertionError("the project was accepted")

    return run


@pytest.fixture
def failure(failures: Callable[..., list[StreamtError]]) -> Callable[..., StreamtError]:
    """Load a project that must be refused for exactly one failure, and return that."""

    def run(*args: Any, **options: Any) -> StreamtError:
        (one,) = failures(*args, **options)
        return one

    return run
