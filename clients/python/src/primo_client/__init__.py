"""Calls the Primo decision service."""

from .async_client import AsyncClient
from .calls import OnLost, new_id
from .client import Client
from .client_error import ClientError
from .decided import Decided, DefaultDecided, ServiceDecided
from .frame_requests import frame_requests
from .log_export import LogFormat
from .wire import (
    Covariate,
    CovariateReply,
    DecisionBody,
    DecisionExplained,
    DecisionReply,
    Epochs,
    Feature,
    Guards,
    ProblemDefined,
    ProblemDefinition,
    ProblemDetails,
    ProblemInfo,
    ProblemSummary,
    RewardItem,
    RewardReply,
    RewardSettings,
    Value,
)

__all__ = [
    "AsyncClient",
    "Client",
    "ClientError",
    "Covariate",
    "CovariateReply",
    "Decided",
    "DecisionBody",
    "DecisionExplained",
    "DecisionReply",
    "DefaultDecided",
    "Epochs",
    "Feature",
    "Guards",
    "LogFormat",
    "OnLost",
    "ProblemDefined",
    "ProblemDefinition",
    "ProblemDetails",
    "ProblemInfo",
    "ProblemSummary",
    "RewardItem",
    "RewardReply",
    "RewardSettings",
    "ServiceDecided",
    "Value",
    "frame_requests",
    "new_id",
]
