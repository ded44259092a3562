"""Why an export is refused after compile, one class per cause. Source: section 6 of the project language."""

from __future__ import annotations

from streamt_ol.ground.errors import StreamtError


class ExportError(StreamtError):
    """Base: nothing is exported."""

    code = "E506_OPENLINEAGE_INVALID"


class NamespaceMissingError(ExportError):
    """A required namespace is neither given nor derivable."""


class NamespaceInvalidError(ExportError):
    """The namespace that was selected is not usable; a lower candidate is never tried."""


class EndpointAmbiguousError(ExportError):
    """A runtime address is not exactly one host and port, so no namespace follows from it."""


class TextRefusedError(ExportError):
    """A name, topic, owner, description or field may not enter an event as it is."""


class DatasetCollisionError(ExportError):
    """Two declarations have one dataset identity."""


class JobCollisionError(ExportError):
    """Two models have one job identity."""


class DependencyCountError(ExportError):
    """A job has another number of inputs than its process can have."""


class DependencyWithoutDatasetError(ExportError):
    """A model reads a model that has no dataset."""


class DependencyNamespaceError(ExportError):
    """A job reads a dataset outside the namespace that its process reads from."""


class DependencyRepeatedError(ExportError):
    """Two dependencies of a job are one dataset."""


class InputIsOutputError(ExportError):
    """A job would read and write one dataset."""


class BoundInputError(ExportError):
    """The names that a process is bound to are not the names of the datasets that its job reads."""


class EventTimeError(ExportError):
    """The fixed event time is not an RFC 3339 time, or not a time at all."""
