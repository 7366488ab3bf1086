"""What goes over the wire: bodies and replies with the names of /openapi.json, which a test compares."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping, Optional, Protocol, Sequence, TypedDict, Union


class NumpyScalar(Protocol):
    """A number or boolean of numpy."""

    def item(self) -> Any: ...


#: A value of a feature. NaN and None go out as null.
Value = Union[float, bool, str, NumpyScalar, None]
#: What a model said: a value, probabilities by level, or a value with its spread.
Prediction = Union[Value, Mapping[str, Any]]

Mode = Literal["active", "shadow", "frozen"]
RewardStatus = Literal["accepted", "duplicate", "late", "inactive", "superseded"]


class _ProblemDetails(TypedDict):
    type: str
    title: str
    status: int
    code: str
    detail: str


class ProblemDetails(_ProblemDetails, total=False):
    """An error of the service (RFC 9457)."""

    instance: str


class _Served(TypedDict):
    action: str


class Served(_Served, total=False):
    """Mode shadow: the action that the caller played."""

    propensity: float


class _DecisionBody(TypedDict):
    context: Mapping[str, Value]


class DecisionBody(_DecisionBody, total=False):
    """What is asked: the context, and what is known of the covariates."""

    #: Makes the call idempotent; the client makes one if there is none.
    eventId: str
    #: Whom the decision is about; not learnt from.
    subject: str
    #: None, NaN or absent: missing.
    covariates: Mapping[str, Value]
    #: Predictions of covariates made by the caller; None: the model failed.
    predictions: Mapping[str, Prediction]
    #: Why a covariate is missing.
    missing: Mapping[str, str]
    #: The eligible actions.
    actions: Sequence[str]
    #: Actions that are not eligible now.
    excluded: Sequence[str]
    #: The decision counts only once it is activated.
    deferActivation: bool
    served: Served


class _CovariateReply(TypedDict):
    status: Literal["observed", "imputed", "fallback"]
    value: Union[float, Dict[str, float]]
    source: str


class CovariateReply(_CovariateReply, total=False):
    """Which value of a covariate was used, and where it came from."""

    reason: str
    pretrained: Union[float, Dict[str, float]]
    sd: float
    version: str
    fingerprint: str
    modelSd: float
    #: An audit asks for the truth.
    pleaseReveal: bool
    revealProbability: float
    #: Expected gain from knowing the value now.
    valueOfObserving: float
    #: Knowing the value now is worth more than its price.
    ask: bool


class RankedAction(TypedDict):
    """An eligible action; the score is None before anything was learnt."""

    action: str
    score: Optional[float]
    propensity: float


class PolicyUsed(TypedDict):
    """The policy that decided."""

    version: int
    epoch: int
    gamma: float
    profile: str
    mode: Mode


class _DecisionReply(TypedDict):
    decisionId: str
    action: str
    propensity: float
    ranking: List[RankedAction]
    covariates: Dict[str, CovariateReply]
    policy: PolicyUsed
    rewardDeadline: Optional[int]


class DecisionReply(_DecisionReply, total=False):
    """What is answered: the action, and the propensity of every action."""

    holdout: bool


class _RewardItem(TypedDict):
    id: str
    value: float


class RewardItem(_RewardItem, total=False):
    """A reward of a batch; ``id`` is a decision id or an event id."""

    rewardId: str
    #: Values of the problem's guardrails for this decision.
    metrics: Mapping[str, float]


class RewardReply(TypedDict):
    """What became of the reward of a decision."""

    decisionId: str
    status: RewardStatus


class _Feature(TypedDict):
    type: Literal["number", "boolean", "category"]


class Feature(_Feature, total=False):
    """A number with min and max, a boolean, or a category with levels."""

    min: float
    max: float
    #: A number outside its range: refused, or taken as the nearer end and counted.
    outside: Literal["refuse", "clip"]
    levels: Sequence[str]
    other: bool
    #: The value where a request gives none.
    default: Union[float, bool, str]


class Audit(TypedDict, total=False):
    """Asks for the truth of some of the missing values: of a share, or within a budget."""

    #: Of the missing values, drawn at random.
    share: float
    #: In place of a share: as many on average, asked for where knowing is worth most.
    budget: float
    within: int


class _Covariate(TypedDict):
    type: Literal["number", "boolean", "category"]
    #: docs/imputers.md
    imputer: Mapping[str, Any]


class Covariate(_Covariate, total=False):
    """A feature that may be missing, with the model that predicts it."""

    min: float
    max: float
    outside: Literal["refuse", "clip"]
    levels: Sequence[str]
    other: bool
    reveals: str
    audit: Audit
    #: What finding out a missing value costs, in units of the reward.
    price: float
    fallback: Literal["constant", "baseline"]
    reasons: Mapping[str, Literal["random", "context"]]


class Range(TypedDict):
    min: float
    max: float


class Milliseconds(TypedDict):
    milliseconds: int


class _RewardSettings(TypedDict):
    min: float
    max: float


class RewardSettings(_RewardSettings, total=False):
    """Range, window and default of the reward."""

    mean: Range
    window: Milliseconds
    default: float
    aggregate: Literal["first", "sum", "mean", "last"]
    learnFrom: Literal["closing", "arrival"]


class Guards(TypedDict, total=False):
    """Limits on deciding."""

    floor: float
    holdout: float
    baseline: str
    kill: bool


class Retention(TypedDict):
    days: float


class GuardrailLimit(TypedDict, total=False):
    """Of the mean: one of the two."""

    max: float
    min: float


class Guardrail(TypedDict):
    """A second number that is reported per decision, and the limit of its mean."""

    min: float
    max: float
    limit: GuardrailLimit


class _ProblemDefinition(TypedDict):
    context: Mapping[str, Feature]
    covariates: Mapping[str, Covariate]
    actions: Sequence[str]
    reward: RewardSettings


class Uploads(TypedDict, total=False):
    """Decisions that were made in callers' processes."""

    #: How long after it was replaced a policy may have decided.
    maxAge: Milliseconds


class ProblemDefinition(_ProblemDefinition, total=False):
    """A problem as the service takes it."""

    #: What people read in place of an action's name.
    labels: Mapping[str, str]
    #: Profile and any of its options.
    learning: Mapping[str, Any]
    guards: Guards
    guardrails: Mapping[str, Guardrail]
    mode: Literal["active", "shadow"]
    activation: Literal["implicit", "explicit"]
    activationWindow: Milliseconds
    uploads: Uploads
    retention: Retention


class PolicyNumber(TypedDict):
    version: int
    epoch: int


class ProblemInfo(TypedDict):
    """A problem as the service has it."""

    problem: str
    version: int
    definition: ProblemDefinition
    mode: Mode
    created: int
    retired: Optional[int]
    policy: PolicyNumber


class ProblemDefined(ProblemInfo):
    """The reply to a definition: the problem, and what changed."""

    change: str
    #: Imputers that failed when they were tried.
    warnings: List[str]


class Mean(TypedDict):
    closed: int
    mean: Optional[float]
    standardError: Optional[float]


class ProblemSummary(TypedDict):
    """The state of a problem at a glance."""

    problem: str
    version: int
    mode: Mode
    time: int
    decisions: int
    open: int
    closed: int
    dropped: int
    voided: int
    expired: int
    lateRewards: int
    #: By feature: values outside its range that were taken as the nearer end.
    clipped: Dict[str, int]
    #: Decisions of local callers, and those of them that never arrived.
    uploads: Dict[str, Any]
    reward: Mean
    groups: Dict[str, Mean]
    actions: Dict[str, Dict[str, Any]]
    covariates: Dict[str, Dict[str, Any]]
    learning: Dict[str, Any]
    warnings: List[str]


class Epoch(TypedDict):
    version: int
    epoch: int
    time: int
    problemVersion: int
    live: bool
    report: Any


class Epochs(TypedDict):
    """The policies of a problem so far, with their reports."""

    policy: int
    epochs: List[Epoch]


class _ReportedReward(TypedDict):
    time: int
    value: float
    answer: str


class ReportedReward(_ReportedReward, total=False):
    rewardId: str


class _DecisionExplained(TypedDict):
    decisionId: str
    eventId: Optional[str]
    round: int
    time: int
    problemVersion: int
    status: str
    request: DecisionBody
    reply: DecisionReply
    rewards: List[ReportedReward]
    reward: Optional[float]
    revealed: Dict[str, Union[float, bool, str]]
    sweep: Dict[str, List[Dict[str, Any]]]


class DecisionExplained(_DecisionExplained, total=False):
    """All that can be said of a decision later."""

    #: Made in the process of this caller, and uploaded.
    caller: str
    #: When, by the caller's clock.
    decidedAt: int
    #: Another system made it: the propensity of its log.
    imported: Dict[str, Optional[float]]
    #: For covariates that were missing: the limits of the mean that rewards allow, the value in use, settled or not.
    bounds: Dict[str, Dict[str, Any]]
