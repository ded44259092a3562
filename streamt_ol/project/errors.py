"""What can be wrong with a project as it was written: one class per cause."""

from __future__ import annotations

from typing import ClassVar

from streamt_ol.ground.errors import StreamtError


class MainFileMissingError(StreamtError):
    """The folder holds neither `stream_project.yml` nor `stream_project.yaml`."""

    code: ClassVar[str] = "E501_PARSE_ERROR"


class FileUnreadableError(StreamtError):
    """A file or folder cannot be read: no permission, no regular file, too large, not UTF-8."""

    code: ClassVar[str] = "E501_PARSE_ERROR"


class FolderFileShapeError(StreamtError):
    """A file of a section folder holds something else than the list of its own section."""

    code: ClassVar[str] = "E501_PARSE_ERROR"


class UnknownKeyError(StreamtError):
    """A mapping has a key that the language does not know, or knows no longer."""

    code: ClassVar[str] = "E501_PARSE_ERROR"


class MissingKeyError(StreamtError):
    """A mapping lacks a key that it must have; `location` is where the key would stand."""

    code: ClassVar[str] = "E501_PARSE_ERROR"


class WrongTypeError(StreamtError):
    """A value is of another kind than the language wants, as YAML read it."""

    code: ClassVar[str] = "E501_PARSE_ERROR"


class NotOneOfError(StreamtError):
    """A value is none of the words that may stand there."""

    code: ClassVar[str] = "E501_PARSE_ERROR"


class ValueRefusedError(StreamtError):
    """A value has the right kind but breaks a rule of its own: form, length, bounds, count."""

    code: ClassVar[str] = "E501_PARSE_ERROR"


class ConflictError(StreamtError):
    """Two values that are fine alone contradict each other."""

    code: ClassVar[str] = "E501_PARSE_ERROR"


class SslFileMissingError(StreamtError):
    """A file named by an `ssl_*_location` does not exist, and STREAMT_STRICT_SSL asks for it."""

    code: ClassVar[str] = "E501_PARSE_ERROR"


class VariablesUnsetError(StreamtError):
    """The runtime refers to environment variables that are not set."""

    code: ClassVar[str] = "E502_ENV_VAR_ERROR"


class EnvironmentUnexpectedError(StreamtError):
    """An environment is asked for in a project that has no environments folder."""

    code: ClassVar[str] = "E503_ENVIRONMENT_ERROR"


class NoEnvironmentsError(StreamtError):
    """The environments folder holds no environment file."""

    code: ClassVar[str] = "E503_ENVIRONMENT_ERROR"


class EnvironmentNotChosenError(StreamtError):
    """The project has environments and none was named."""

    code: ClassVar[str] = "E503_ENVIRONMENT_ERROR"


class EnvironmentNameError(StreamtError):
    """The name asked for cannot be one of an environment."""

    code: ClassVar[str] = "E503_ENVIRONMENT_ERROR"


class EnvironmentNotFoundError(StreamtError):
    """No environment file has the name asked for."""

    code: ClassVar[str] = "E503_ENVIRONMENT_ERROR"
