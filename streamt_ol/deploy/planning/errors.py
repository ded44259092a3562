"""Why a plan is not made, not accepted or not applied: one class per cause."""

from __future__ import annotations

from streamt_ol.ground.errors import StreamtError


class ResourceIdentityError(StreamtError):
    """A name cannot be part of a resource id, or two resources have one id."""

    code = "E411_STATE_INVALID"


class TopicSettingError(StreamtError):
    """A setting of a topic is nothing that Kafka could be told."""

    code = "E501_PARSE_ERROR"


class UnknownResourceKindError(StreamtError):
    """The tables compile models to a kind of artifact that nobody knows how to deploy."""

    code = "E520_RULES_INVALID"


class ServiceNotConfiguredError(StreamtError):
    """The runtime does not say where the service of a resource is."""

    code = "E208_MISSING_CONFIG"


class ConnectRequiredError(StreamtError):
    """A connector is to be removed, and the runtime has no Kafka Connect."""

    code = "E205_CONNECT_REQUIRED"


class RemovalClusterError(StreamtError):
    """A connector is to be removed from a cluster that the runtime does not have."""

    code = "E209_INVALID_CLUSTER_REF"


class RemovalInvalidError(StreamtError):
    """Removals of connectors contradict each other, or what the project declares."""

    code = "E427_CONNECTOR_REMOVAL_INVALID"


class UnknownJobError(StreamtError):
    """Something is said of a Flink job that the project does not have."""

    code = "E501_PARSE_ERROR"


class ReviewedPlanRequiredError(StreamtError):
    """What is asked for is done from a plan that somebody has looked at, or not at all."""

    code = "E418_REVIEWED_PLAN_REQUIRED"


class PlanFileError(StreamtError):
    """A file is no plan that this version can apply, or was changed, or could not be written."""

    code = "E408_PLAN_FILE_INVALID"


class StalePlanError(StreamtError):
    """What a plan was made from has changed since."""

    code = "E409_PLAN_STALE"
